// Which questions does nobody answer? Passages that tell what is not known, and later papers with a passage like it, if any.
//
// Parameters  $collection  STRING        where to look
//             $headings    LIST<STRING>  words in small letters that headings of such sections hold
//             $phrases     LIST<STRING>  words in small letters that such passages hold
//             $least       FLOAT         cosine from which a later passage takes it up
//             $limit       INTEGER       how many passages
// Returns     paper      STRING  title
//             year       INTEGER  where known
//             section, passage  STRING
//             taken_up_by  LIST<STRING>  titles of later papers, by name; first the passages that none takes up
// Index       paper_id (schema/model.py)
// Try it      :param headings => ['limitation', 'limits', 'future work', 'outlook', 'open problem']
//             :param phrases => ['an open question', 'open problem', 'remains open', 'remain open', 'is unclear', 'is not known', 'do not know', 'not yet known', 'not tried', 'future work']
//             :param {collection: 'main', least: 0.6, limit: 15}
CYPHER 25
MATCH (section:Section {collection: $collection})-[:HAS_CHUNK]->(chunk:Chunk)
WHERE section.kind <> 'references'
  AND (any(word IN $headings WHERE toLower(section.title) CONTAINS word)
       OR any(words IN $phrases WHERE toLower(chunk.text) CONTAINS words))
MATCH (paper:Paper {id: chunk.paperId})
CALL (paper, chunk) {
  OPTIONAL MATCH (chunk)-[similar:SIMILAR]-(near:Chunk)
  WHERE similar.score >= $least AND near.year > paper.year AND near.kind <> 'references'
  OPTIONAL MATCH (later:Paper {id: near.paperId})
  WITH DISTINCT later.title AS title ORDER BY title
  RETURN collect(title) AS taken_up_by
}
RETURN paper.title AS paper, paper.year AS year, section.title AS section, chunk.text AS passage, taken_up_by
ORDER BY size(taken_up_by), year DESC, paper, chunk.paperId, chunk.ordinal
LIMIT $limit
