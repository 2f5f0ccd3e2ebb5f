// Papers whose title begins or ends with a space.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, its fault; in order of id
// Advice      papergraph doctor --fix
// Repair      trim_titles
// Order       426
// Try it      :param {limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.title <> trim(paper.title)
RETURN paper.id AS id, paper.id AS paper_id, 'has spaces around its title' AS problem
ORDER BY id LIMIT $limit
