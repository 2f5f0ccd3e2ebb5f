// Forget what a person decided of authors.
//
// Parameters  $ids  LIST<STRING>  ids of reviews
// Returns     nothing
// Revises     nothing
// Index       review_id (schema/model.py)
// Try it      :param {ids: []}
CYPHER 25
UNWIND $ids AS id
MATCH (review:Review {id: id})
DELETE review
