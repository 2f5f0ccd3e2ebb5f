// Delete questions; those that one of them stood for are to be compared again.
//
// Parameters  $ids  LIST<STRING>  ids of questions
// Returns     nothing
// Index       question_id (schema/migrations/0001_constraints.cypher)
// Try it      :param {ids: ['q1']}
CYPHER 25
UNWIND $ids AS id
MATCH (question:Question {id: id})
CALL (question) {
  MATCH (other:Question)-[:DUPLICATE_OF]->(question)
  REMOVE other.comparisonConfigHash
}
DETACH DELETE question
