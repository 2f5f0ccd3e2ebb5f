// A page of a collection's questions in the order of ids, as they read and as they were made.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $after       STRING   id of the last question of the page before, '' at the start
//             $limit       INTEGER  questions, at least 1
// Returns     id, paper_id, text  STRING
//             original  STRING  how an edited one was made; else null
// Index       question_id (schema/model.py)
// Try it      :param {collection: 'main', after: '', limit: 10}
CYPHER 25
MATCH (question:Question)
WHERE question.id > $after AND question.collection = $collection
WITH question ORDER BY question.id LIMIT $limit
RETURN question.id AS id, question.paperId AS paper_id, question.text AS text, question.original AS original
ORDER BY id
