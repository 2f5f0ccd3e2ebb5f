// Note which snapshot is being restored, and how many of its steps are done.
//
// Parameters  $root  STRING  root of the snapshot
//             $done  STRING  number of steps; 'emptying' if what the store holds is to be deleted first
// Returns     nothing
// Revises     nothing
// Try it      :param {root: 'ab12', done: '0'}
CYPHER 25
MERGE (restored:SchemaVersion {id: 'restore'})
SET restored.owner = $root, restored.touched = $done
