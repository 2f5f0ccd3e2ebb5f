// Delete questions; those that one of them stood for are to be compared again.
//
// Parameters  $ids  LIST<STRING>  ids of questions
// Returns     nothing
// Revises     questions $ids, and itself those of the questions that they stood for
// Index       question_id (schema/model.py)
// Try it      :param {ids: ['q1']}
CYPHER 25
UNWIND $ids AS id
MATCH (question:Question {id: id})
WITH collect(question) AS questions
CALL (questions) {
  UNWIND questions AS question
  MATCH (other:Question)-[:DUPLICATE_OF]->(question)
  REMOVE other.comparisonConfigHash
  WITH DISTINCT other.paperId AS id
  MATCH (paper:Paper {id: id})
  WITH paper ORDER BY elementId(paper)
  SET paper.revision = randomUUID()
}
UNWIND questions AS question
DETACH DELETE question
