// Ids of papers, page by page.
//
// Parameters  $after  STRING   id that the page comes after, '' for the first one
//             $limit  INTEGER  most rows
// Returns     id  STRING  in order
// Index       paper_id (schema/migrations/0001_constraints.cypher)
// Try it      :param {after: '', limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id > $after
RETURN paper.id AS id ORDER BY id LIMIT $limit
