// Remove the questions of papers, and all across papers that one of them is among.
//
// Questions that one of these stood for are to be compared again.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     nothing
// Revises     papers $ids, and itself those of the questions
// Index       question_paper (schema/model.py)
//             question_group (schema/model.py)
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (own:Question {paperId: id})
CALL (own) {
  RETURN own AS question
  UNION
  MATCH (question:Question {collection: own.collection, groupId: own.groupId})
  RETURN question
}
WITH collect(DISTINCT question) AS questions
CALL (questions) {
  UNWIND questions AS question
  WITH DISTINCT question.paperId AS id
  MATCH (own:Paper {id: id})
  WITH own ORDER BY elementId(own)
  SET own.revision = randomUUID()  // takes the lock before what the questions stand for is read
}
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
