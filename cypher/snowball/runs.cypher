// Snowballing of a collection with what its last run found, the newest first.
//
// Parameters  $collection  STRING  for example 'main'
// Returns     watch  MAP     properties without the hash of its feed
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (watch:Watch {kind: 'snowball'})
WHERE watch.collection = $collection
RETURN watch {.*, feedSha256: null} AS watch
ORDER BY watch.createdAt DESC, watch.id
