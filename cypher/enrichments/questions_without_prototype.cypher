// A page of a collection's questions that no prototype stands for, with their vectors, in the order of ids.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $after       STRING   id of the last question of the page before, '' at the start
//             $limit       INTEGER  questions, at least 1
// Returns     id  STRING
//             embedding  LIST<FLOAT>
// Index       question_id (schema/model.py)
// Slots       embedding
// Try it      :param {collection: 'main', after: '', limit: 10}
CYPHER 25
MATCH (question:Question)
WHERE question.id > $after AND question.collection = $collection AND question.embedding IS NOT NULL
  AND NOT EXISTS { (:Prototype)-[:STANDS_FOR]->(question) }
WITH question ORDER BY question.id LIMIT $limit
RETURN question.id AS id, question.embedding AS embedding
ORDER BY id
