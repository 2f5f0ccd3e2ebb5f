// Delete questions that were rejected; those that one of them stood for are to be compared again.
//
// Parameters  $ids  LIST<STRING>  ids of questions
// Returns     n_repaired  INTEGER
// Action      deleted
// Try it      :param {ids: ['q0']}
CYPHER 25
UNWIND $ids AS id
MATCH (question:Question {id: id})
CALL (question) {
  MATCH (other:Question)-[:DUPLICATE_OF]->(question)
  REMOVE other.comparisonConfigHash
}
DETACH DELETE question
RETURN count(*) AS n_repaired
