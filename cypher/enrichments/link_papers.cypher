// A page of a collection's papers with their titles, and whether their links were found.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $after       STRING   id of the last paper before the page, '' for the first page
//             $limit       INTEGER  rows of a page
// Returns     id, title, content, config_hash  STRING
//             links_config_hash  STRING  sha-256 over how its links were found; null if they were not
// Index       paper_id (schema/model.py)
// Try it      :param {collection: 'main', after: '', limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id > $after AND paper.collection = $collection
RETURN paper.id AS id, paper.title AS title, paper.contentHash AS content, paper.configHash AS config_hash,
       paper.linksConfigHash AS links_config_hash
ORDER BY id LIMIT $limit
