// Papers of a collection with what they cite in it, and their ranks.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $after       STRING   id of the last paper before the page, '' for the first page
//             $before      STRING   where ids end: 'g' for all, which are hexadecimal
//             $limit       INTEGER  rows of a page
// Returns     id, title  STRING
//             page_rank  FLOAT         null if it has none
//             cites      LIST<STRING>  ids of papers
// Index       paper_id (schema/model.py)
// Try it      :param {collection: 'main', after: '', before: 'g', limit: 2}
CYPHER 25
MATCH (paper:Paper)
WHERE $after < paper.id < $before AND paper.collection = $collection
WITH paper ORDER BY paper.id LIMIT $limit
RETURN paper.id AS id, paper.title AS title, paper.pageRank AS page_rank,
       COLLECT { MATCH (paper)-[:CITES]->(other:Paper) RETURN other.id } AS cites
ORDER BY id
