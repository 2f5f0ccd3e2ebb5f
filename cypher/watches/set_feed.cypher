// Set the hash of the key of a watch's feed, or remove it.
//
// Parameters  $id      STRING  id of the watch
//             $sha256  STRING  sha-256 of the key; null to revoke it
// Returns     nothing
// Revises     nothing
// Index       watch_id (schema/model.py)
// Try it      :param {id: 'watch-0f2a', sha256: null}
CYPHER 25
MATCH (watch:Watch {id: $id})
SET watch.feedSha256 = $sha256
