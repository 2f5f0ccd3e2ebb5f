// Groups of papers across which a collection has questions, with these.
//
// Parameters  $collection  STRING  where to look, for example 'main'
// Returns     id            STRING        of the group
//             question_ids  LIST<STRING>
// Index       question_group (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (question:Question {collection: $collection})
WHERE question.groupId IS NOT NULL
WITH question ORDER BY question.id
RETURN question.groupId AS id, collect(question.id) AS question_ids
ORDER BY id
