// Note that questions were accepted; one that was edited stays so.
//
// Parameters  $ids  LIST<STRING>  ids of questions
// Returns     nothing
// Revises     questions $ids
// Index       question_id (schema/model.py)
// Try it      :param {ids: ['q1']}
CYPHER 25
UNWIND $ids AS id
MATCH (question:Question {id: id})
SET question.review = coalesce(question.review, 'accepted')
