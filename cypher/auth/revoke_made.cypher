// Revoke all keys that were made with a key, and with keys made with it.
//
// Parameters  $id   STRING    for example 'f1'
//             $now  DATETIME  when they are revoked
// Returns     nothing
// Try it      :param now => datetime()
//             :param {id: 'f1'}
CYPHER 25
MATCH (key:ApiKey)
WHERE $id IN key.creators AND key.revokedAt IS NULL
SET key.revokedAt = $now
