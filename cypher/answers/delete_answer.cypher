// Delete a stored answer with its ratings.
//
// Parameters  $id           STRING        of the answer
//             $collections  LIST<STRING>  those that are reached; null for all
//             $principal        STRING        whose it must be; null for anybody's
// Returns     id  STRING  of the answer; no row where there is none that is reached
// Revises     nothing
// Index       stored_answer_id (schema/model.py)
// Try it      :param {id: 'answer-0f2a', collections: null, principal: null}
CYPHER 25
MATCH (answer:StoredAnswer {id: $id})
WHERE ($collections IS NULL OR answer.collection IN $collections) AND ($principal IS NULL OR answer.principal = $principal)
OPTIONAL MATCH (rating:AnswerRating)-[:RATES]->(answer)
WITH answer, answer.id AS id, collect(rating) AS ratings
FOREACH (rating IN ratings | DETACH DELETE rating)
DETACH DELETE answer
RETURN id
