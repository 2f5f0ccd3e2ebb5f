// Delete the questions of a paper, those across papers left out; questions that one stood for are to be compared again.
//
// Parameters  $id  STRING  id of the paper
// Returns     nothing
// Revises     papers $id, and itself those of the questions that it stood for
// Index       question_paper (schema/model.py)
// Try it      :param {id: 'a1'}
CYPHER 25
MATCH (question:Question {paperId: $id})
WHERE question.groupId IS NULL
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
