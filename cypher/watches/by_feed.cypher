// Watch whose feed has a key.
//
// Parameters  $id      STRING  id of the watch
//             $sha256  STRING  sha-256 of the key
// Returns     id  STRING  of the watch; no row if its feed has another key or none
// Index       watch_id (schema/model.py)
// Try it      :param {id: 'watch-0f2a', sha256: 'a1'}
CYPHER 25
MATCH (watch:Watch {id: $id})
WHERE watch.feedSha256 = $sha256
RETURN watch.id AS id
