// Take away what relates questions to those that they repeat; all of their collection is to be compared again.
//
// Parameters  $ids  LIST<STRING>  ids of questions
// Returns     n_repaired  INTEGER
// Action      parted, to be compared again
// Try it      :param {ids: ['q0']}
CYPHER 25
UNWIND $ids AS id
MATCH (question:Question {id: id})-[same:DUPLICATE_OF]->(:Question)
DELETE same
REMOVE question.comparisonConfigHash
WITH DISTINCT question
CALL (question) {
  MATCH (state:EnrichmentState {name: 'questions'})
  WHERE state.collection = question.collection
  DELETE state
}
RETURN count(*) AS n_repaired
