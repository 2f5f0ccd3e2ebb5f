// Write what a reader thinks of a stored answer; the last word of each reader counts.
//
// Parameters  $id           STRING        of the answer
//             $collections  LIST<STRING>  those that are reached; null for all
//             $rater        STRING        account of the reader
//             $verdict      STRING        up or down
//             $comment      STRING        may be empty
// Returns     id  STRING  of the answer; no row where there is none that is reached
// Revises     nothing
// Index       stored_answer_id, answer_rating_id (schema/model.py)
// Try it      :param {id: 'answer-0f2a', collections: null, rater: 'f1a2b3c4', verdict: 'up', comment: ''}
CYPHER 25
MATCH (answer:StoredAnswer {id: $id})
WHERE $collections IS NULL OR answer.collection IN $collections
MERGE (rating:AnswerRating {id: answer.id + ' ' + $rater})
SET rating.collection = answer.collection, rating.rater = $rater, rating.verdict = $verdict,
    rating.comment = $comment, rating.ratedAt = datetime()
MERGE (rating)-[:RATES]->(answer)
RETURN answer.id AS id
