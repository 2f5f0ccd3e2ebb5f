// Give the lock on the schema back; nothing happens if another process holds it.
//
// Parameters  $owner  STRING  the name that took the lock
// Returns     nothing
// Revises     nothing
// Try it      :param {owner: 'me'}
CYPHER 25
MATCH (lock:SchemaVersion {id: 'lock'})
WHERE lock.owner = $owner
DELETE lock
