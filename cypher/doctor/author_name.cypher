// Authors who do not have the first of the spellings in use: by alphabet, and with a key the longest.
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
  WITH DISTINCT author.key IS NOT NULL AS keyed, wrote.name AS name
  ORDER BY CASE WHEN keyed THEN -size(name) ELSE 0 END, name
  RETURN collect(name) AS names
}
WITH author, names[0] AS name
WHERE author.name <> name
RETURN author.id AS id, null AS paper_id, author.name + ' instead of ' + name AS problem
ORDER BY id LIMIT $limit
