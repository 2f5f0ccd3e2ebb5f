// A stored answer with its ratings, the newest first.
//
// Parameters  $id           STRING        of the answer
//             $collections  LIST<STRING>  those that are reached; null for all
// Returns     id, collection, principal, question, content  STRING
//             asked_at  DATETIME
//             ratings   LIST<MAP>  rater, verdict, comment, rated_at
// Index       stored_answer_id (schema/model.py)
// Try it      :param {id: 'answer-0f2a', collections: null}
CYPHER 25
MATCH (answer:StoredAnswer {id: $id})
WHERE $collections IS NULL OR answer.collection IN $collections
RETURN answer.id AS id, answer.collection AS collection, answer.principal AS principal, answer.question AS question,
       answer.content AS content, answer.askedAt AS asked_at,
       COLLECT {
         MATCH (rating:AnswerRating)-[:RATES]->(answer)
         RETURN {rater: rating.rater, verdict: rating.verdict, comment: rating.comment, rated_at: rating.ratedAt}
         ORDER BY rating.ratedAt DESC, rating.id
         LIMIT 100
       } AS ratings
