// Authors who do not have the alphabetically first of the spellings in use.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      name_authors
// Order       180
// Try it      :param {limit: 10}
CYPHER 25
MATCH (author:Author)
CALL (author) {
  MATCH (author)-[wrote:WROTE]->(:Paper)
  RETURN min(wrote.name) AS name
}
WITH author, name
WHERE author.name <> name
RETURN author.id AS id, null AS paper_id, author.name + ' instead of ' + name AS problem
ORDER BY id LIMIT $limit
