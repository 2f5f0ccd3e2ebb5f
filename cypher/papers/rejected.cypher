// Proposed values of fields of a paper that a person rejected.
//
// Parameters  $collection  STRING  the collection, for example 'main'
//             $key         STRING  key of the paper
// Returns     about  LIST<STRING>  key, field, value
// Index       review_kind (schema/model.py)
// Try it      :param {collection: 'main', key: 'doi:10.1000/182'}
CYPHER 25
MATCH (review:Review {collection: $collection, kind: 'correction'})
WHERE review.about[0] = $key
RETURN review.about AS about
ORDER BY review.id
