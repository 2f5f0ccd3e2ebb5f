// Note the snapshot of what the store holds before another one is restored over it.
//
// Parameters  $root  STRING  root of the snapshot
// Returns     nothing
// Revises     nothing
// Try it      :param {root: 'ab12'}
CYPHER 25
MERGE (point:SchemaVersion {id: 'restore point'})
SET point.owner = $root
