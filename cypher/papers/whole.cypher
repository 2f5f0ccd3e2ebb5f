// Papers of a collection that have a key or id or came from a path, each whole: what it says of itself, sections, references.
//
// Parameters  $collection  STRING        for example 'main'
//             $names       LIST<STRING>  keys, main or other, as stored or shown, ids, or citation keys such as @smith2019
//             $path        STRING        absolute path of a file, or '' for none
//             $limit       INTEGER       most papers
// Returns     paper  MAP  properties, the embedding left out
//             authors  LIST<STRING>  in the paper's order
//             sections  LIST<MAP>  {title, level, kind, start, end, pieces} in reading order; pieces are the chunks that
//                                  begin in the section as {kind, text, start, end}, in order and overlapping as they
//                                  were cut
//             references  LIST<MAP>  {label, text, doi, arxiv_id} in the order of the list of references
// Index       section_position (schema/model.py)
// Try it      :param {collection: 'main', names: [], path: '', limit: 2}
//             :param names => COLLECT { MATCH (p:Paper) RETURN p.id ORDER BY p.id LIMIT 1 }
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WHERE paper.id IN $names OR $path IN paper.sources OR any(key IN paper.keys WHERE key IN $names OR (
  key STARTS WITH 'file:/' AND 'file:' + split(key, '/')[-1] + '#' + substring(paper.id, 0, 16) IN $names))
  OR any(name IN $names WHERE name STARTS WITH '@' OR name STARTS WITH 'arxiv:') AND EXISTS {
    MATCH (paper)-[:HAS_SOURCE]->(source:Source)
    WHERE '@' + source.citeKey IN $names OR 'arxiv:' + source.arxivId IN $names
  }
WITH paper ORDER BY paper.id LIMIT $limit
RETURN paper { .*, embedding: null } AS paper,
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
             WHERE chunk.kind <> 'parent'  // whose text is that of the chunks below it
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
ORDER BY paper.id
