// Rated answers of a collection page by page, each with its ratings, in order of id.
//
// Parameters  $collection  STRING   for example 'main'
//             $after       STRING   id that the page comes after, '' for the first one
//             $limit       INTEGER  most rows
// Returns     id, collection, principal, question, content  STRING
//             asked_at  DATETIME
//             ratings   LIST<MAP>  rater, verdict, comment, rated_at
// Index       stored_answer_id (schema/model.py)
// Try it      :param {collection: 'main', after: '', limit: 10}
CYPHER 25
MATCH (answer:StoredAnswer)
WHERE answer.id > $after AND answer.collection = $collection AND EXISTS { (:AnswerRating)-[:RATES]->(answer) }
WITH answer ORDER BY answer.id LIMIT $limit
RETURN answer.id AS id, answer.collection AS collection, answer.principal AS principal, answer.question AS question,
       answer.content AS content, answer.askedAt AS asked_at,
       COLLECT {
         MATCH (rating:AnswerRating)-[:RATES]->(answer)
         RETURN {rater: rating.rater, verdict: rating.verdict, comment: rating.comment, rated_at: rating.ratedAt}
         ORDER BY rating.ratedAt DESC, rating.id
       } AS ratings
ORDER BY id
