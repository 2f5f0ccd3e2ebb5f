// Give authors the alphabetically first of the spellings in use.
//
// Parameters  $ids  LIST<STRING>  ids of authors
// Returns     n_repaired  INTEGER
// Action      named again
// Try it      :param {ids: ['p1']}
CYPHER 25
UNWIND $ids AS id
MATCH (author:Author {id: id})
CALL (author) {
  MATCH (author)-[wrote:WROTE]->(:Paper)
  RETURN min(wrote.name) AS name
}
WITH author, name WHERE author.name <> name
SET author.name = name
RETURN count(*) AS n_repaired
