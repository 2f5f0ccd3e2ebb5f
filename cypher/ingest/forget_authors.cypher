// Take papers from authors who are not among those to keep; a person without papers goes, others keep a spelling in use.
//
// Parameters  $rows  LIST<MAP>  {id, keep}: a paper's id, and ids of authors
// Returns     nothing
// Try it      :param rows => [{id: 'a1', keep: []}]
CYPHER 25
UNWIND $rows AS row
MATCH (author:Author)-[wrote:WROTE]->(:Paper {id: row.id})
WHERE NOT author.id IN row.keep
DELETE wrote
WITH DISTINCT author
CALL (author) {
  OPTIONAL MATCH (author)-[other:WROTE]->(:Paper)
  RETURN min(other.name) AS name
}
SET author.name = name
WITH author WHERE author.name IS NULL
DETACH DELETE author
