// Keep what a person decided of two entities; a later decision takes the place of an earlier one.
//
// Parameters  $id          STRING        id of the review
//             $collection  STRING        the collection
//             $about       LIST<STRING>  ids of both entities, the lower one first
//             $decision    STRING        same or different
// Returns     nothing
// Revises     nothing
// Index       review_id (schema/model.py)
// Try it      :param {id: 'v1', collection: 'main', about: ['e1', 'f1'], decision: 'same'}
CYPHER 25
MERGE (review:Review {id: $id})
SET review.collection = $collection, review.kind = 'entities', review.about = $about, review.decision = $decision,
    review.reviewedAt = datetime()
