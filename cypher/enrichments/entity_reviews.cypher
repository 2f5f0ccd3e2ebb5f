// What persons decided of pairs of entities.
//
// Parameters  $collection  STRING  the collection
// Returns     about     LIST<STRING>  ids of both
//             decision  STRING        same or different
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (review:Review {collection: $collection, kind: 'entities'})
RETURN review.about AS about, review.decision AS decision
ORDER BY review.id
