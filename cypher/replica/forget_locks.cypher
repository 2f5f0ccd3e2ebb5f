// Delete the locks of processes of the store from a replica.
//
// Parameters  none
// Returns     nothing
// Revises     nothing
// Try it      paste as it is
CYPHER 25
MATCH (lock:SchemaVersion)
WHERE lock.version IS NULL AND lock.copiedAt IS NULL AND lock.analyzer IS NULL AND lock.quantization IS NULL
  AND lock.id <> 'revision'
DELETE lock
