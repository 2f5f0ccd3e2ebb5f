// Take a paper from authors who are not among those to keep; a person without papers goes, others keep a spelling in use.
//
// Parameters  $id    STRING        id of the paper
//             $keep  LIST<STRING>  ids of authors
// Returns     nothing
// Try it      :param {id: 'a1', keep: []}
CYPHER 25
MATCH (author:Author)-[wrote:WROTE]->(:Paper {id: $id})
WHERE NOT author.id IN $keep
DELETE wrote
WITH author
CALL (author) {
  OPTIONAL MATCH (author)-[other:WROTE]->(:Paper)
  RETURN min(other.name) AS name
}
SET author.name = name
WITH author WHERE author.name IS NULL
DETACH DELETE author
