// What persons decided, by the ids of their decisions; there is none for most.
//
// Parameters  $ids  LIST<STRING>  ids of reviews, made of what they are about
// Returns     id, decision, text  STRING
// Index       review_id (schema/model.py)
// Try it      :param {ids: ['v1']}
CYPHER 25
UNWIND $ids AS id
MATCH (review:Review {id: id})
RETURN review.id AS id, review.decision AS decision, review.text AS text
ORDER BY id
