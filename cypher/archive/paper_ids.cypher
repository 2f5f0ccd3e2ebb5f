// Ids of papers, of all collections or of one, page by page.
//
// Parameters  $after  STRING   id that the page comes after, '' for the first one
//             $limit  INTEGER  most rows
//             $collection  STRING  null for all collections
// Returns     id  STRING  in order
// Index       paper_id (schema/migrations/0001_constraints.cypher)
// Try it      :param {after: '', limit: 10, collection: null}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id > $after AND ($collection IS NULL OR paper.collection = $collection)
RETURN paper.id AS id ORDER BY id LIMIT $limit
