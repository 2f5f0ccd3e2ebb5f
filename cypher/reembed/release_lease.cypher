// Give the right to change models back; nothing happens if another process has it.
//
// Parameters  $owner  STRING  the name that took it
// Returns     nothing
// Revises     nothing
// Try it      :param {owner: 'me'}
CYPHER 25
MATCH (lock:SchemaVersion {id: 'reembed'})
WHERE lock.owner = $owner
DELETE lock
