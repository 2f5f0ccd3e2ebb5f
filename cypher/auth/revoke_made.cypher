// Revoke all keys and invitations that were made with a key, and with keys made with it.
//
// Parameters  $id   STRING    for example 'f1'
//             $now  DATETIME  when they are revoked
// Returns     nothing
// Revises     nothing
// Try it      :param now => datetime()
//             :param {id: 'f1'}
CYPHER 25
MATCH (made:ApiKey|Invitation)
WHERE $id IN made.creators AND made.revokedAt IS NULL
SET made.revokedAt = $now
