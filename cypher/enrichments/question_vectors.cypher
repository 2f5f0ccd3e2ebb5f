// Vectors of questions.
//
// Parameters  $ids  LIST<STRING>  ids of questions
// Returns     id  STRING
//             embedding  LIST<FLOAT>
// Index       question_id (schema/model.py)
// Slots       embedding
// Try it      :param {ids: ['q1']}
CYPHER 25
UNWIND $ids AS id
MATCH (question:Question {id: id})
WHERE question.embedding IS NOT NULL
RETURN question.id AS id, question.embedding AS embedding
ORDER BY id
