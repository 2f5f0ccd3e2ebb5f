// A paper with its sections, chunks and references, as they are written.
//
// Parameters  $id  STRING  id of the paper
// Returns     paper  MAP  properties
//             sections  LIST<MAP>  {properties, parent}: parent is the ordinal of the section above, or null
//             chunks    LIST<MAP>  {properties, section, parent}: ordinals of the section and of the parent
//             references  LIST<MAP>  {properties, chunks}: ordinals of the chunks that cite it
// Index       section_position, chunk_position (schema/model.py)
// Try it      :param id => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 1 }[0]
CYPHER 25
MATCH (paper:Paper {id: $id})
RETURN properties(paper) AS paper,
       COLLECT {
         MATCH (section:Section {paperId: $id})
         WHERE section.ordinal >= 0
         WITH section ORDER BY section.ordinal
         RETURN {
           properties: properties(section),
           parent: head(COLLECT { MATCH (above:Section)-[:HAS_SUBSECTION]->(section) RETURN above.ordinal })
         }
       } AS sections,
       COLLECT {
         MATCH (section:Section)-[:HAS_CHUNK]->(chunk:Chunk {paperId: $id})
         WHERE chunk.ordinal >= 0
         WITH section, chunk ORDER BY chunk.ordinal
         RETURN {
           properties: properties(chunk), section: section.ordinal,
           parent: head(COLLECT { MATCH (chunk)-[:CHILD_OF]->(parent:Chunk) RETURN parent.ordinal })
         }
       } AS chunks,
       COLLECT {
         MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
         WITH reference ORDER BY reference.ordinal
         RETURN {
           properties: properties(reference),
           chunks: COLLECT { MATCH (chunk:Chunk)-[:CITES_REFERENCE]->(reference) RETURN chunk.ordinal ORDER BY chunk.ordinal }
         }
       } AS references
