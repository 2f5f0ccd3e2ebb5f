// Texts of papers that are about to be replaced, as papers/whole returns them.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     id          STRING
//             paper       MAP           title, format and other fields of the text
//             authors     LIST<STRING>  in order
//             sections    LIST<MAP>     {title, level, kind, start, end, pieces} in reading order
//             references  LIST<MAP>     {label, text, doi, arxiv_id} in order
// Index       section_position (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 1 }
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id,
       paper { .id, .key, .keys, .sources, .collection, .title, .abstract, .year, .doi, .arxivId, .arxivVersion,
               .categories, .license, .format, .cleaning, .contentHash } AS paper,
       COLLECT {
         MATCH (author:Author)-[wrote:WROTE]->(paper)
         WITH wrote ORDER BY wrote.position
         RETURN wrote.name
       } AS authors,
       COLLECT {
         MATCH (section:Section {paperId: paper.id})
         WHERE section.ordinal >= 0
         WITH section ORDER BY section.ordinal
         RETURN section {
           .title, .level, .kind, start: section.startChar, end: section.endChar,
           pieces: COLLECT {
             MATCH (section)-[:HAS_CHUNK]->(chunk:Chunk)
             WHERE chunk.kind <> 'parent'
             WITH chunk ORDER BY chunk.ordinal
             RETURN chunk { .kind, .text, start: chunk.startChar, end: chunk.endChar }
           }
         }
       } AS sections,
       COLLECT {
         MATCH (paper)-[:HAS_REFERENCE]->(reference:Reference)
         WITH reference ORDER BY reference.ordinal
         RETURN reference { .label, .text, .doi, arxiv_id: reference.arxivId }
       } AS references
ORDER BY id
