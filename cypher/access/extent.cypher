// The first and the last collection by name: all that there are, where both are the same.
//
// Parameters  none
// Returns     first, last  STRING  null in a store without papers
// Index       paper_listing (schema/migrations/0001_constraints.cypher)
// Try it      :param {}
CYPHER 25
CALL () {
  OPTIONAL MATCH (paper:Paper)
  WHERE paper.collection IS NOT NULL AND paper.title IS NOT NULL AND paper.id IS NOT NULL
  RETURN paper.collection AS first
  ORDER BY first LIMIT 1
}
CALL () {
  OPTIONAL MATCH (paper:Paper)
  WHERE paper.collection IS NOT NULL AND paper.title IS NOT NULL AND paper.id IS NOT NULL
  RETURN paper.collection AS last
  ORDER BY last DESC LIMIT 1
}
RETURN first, last
