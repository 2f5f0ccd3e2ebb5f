// Pairs of questions of different papers that ask the same, the nearest first.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $limit       INTEGER  pairs, at least 1
// Returns     question, other  STRING  both texts, the one that stands for the other last
//             score  FLOAT  their cosine
// Try it      :param {collection: 'main', limit: 10}
CYPHER 25
MATCH (question:Question)-[same:DUPLICATE_OF]->(other:Question)
WHERE question.collection = $collection
WITH question, other, same.score AS score ORDER BY score DESC, question.id LIMIT $limit
RETURN question.text AS question, other.text AS other, score
ORDER BY score DESC, question, other
