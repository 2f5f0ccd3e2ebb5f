// Authors who wrote no paper.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      delete_authors
// Order       170
// Try it      :param {limit: 10}
CYPHER 25
MATCH (author:Author)
WHERE NOT EXISTS { (author)-[:WROTE]->(:Paper) }
RETURN author.id AS id, null AS paper_id, author.name + ' wrote nothing that is here' AS problem
ORDER BY id LIMIT $limit
