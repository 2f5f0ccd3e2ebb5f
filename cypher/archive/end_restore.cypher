// Forget that an archive is being restored.
//
// Parameters  none
// Returns     nothing
// Revises     nothing
// Try it      paste as it is
CYPHER 25
MATCH (restored:SchemaVersion)
WHERE restored.id IN ['restore', 'restore point']
DELETE restored
