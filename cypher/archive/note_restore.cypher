// Note which archive is being restored, and how many of its steps are done.
//
// Parameters  $root  STRING  root of the archive
//             $done  STRING  number of steps
// Returns     nothing
// Try it      :param {root: 'ab12', done: '0'}
CYPHER 25
MERGE (restored:SchemaVersion {id: 'restore'})
SET restored.owner = $root, restored.touched = $done
