// Which of some questions there are.
//
// Parameters  $ids  LIST<STRING>  ids of questions
// Returns     id  STRING
// Index       question_id (schema/model.py)
// Try it      :param {ids: ['q1']}
CYPHER 25
UNWIND $ids AS id
MATCH (question:Question {id: id})
RETURN question.id AS id
ORDER BY id
