// A page of a collection's papers in the order of ids, with what tells whether something of them changed.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $after       STRING   id of the last paper of the page before, '' at the start
//             $limit       INTEGER  papers, at least 1
// Returns     id, key, content, config_hash  STRING
//             enrichments  LIST<STRING>  name=configHash of each enrichment that stands
// Index       paper_id (schema/model.py)
// Try it      :param {collection: 'main', after: '', limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id > $after AND paper.collection = $collection
WITH paper ORDER BY paper.id LIMIT $limit
RETURN paper.id AS id, paper.key AS key, paper.contentHash AS content, paper.configHash AS config_hash,
       coalesce(paper.enrichments, []) AS enrichments
ORDER BY id
