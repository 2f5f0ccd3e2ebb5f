// Whether the store holds no papers, and how far an archive is restored into it.
//
// Parameters  none
// Returns     is_empty  BOOLEAN
//             root      STRING  root of the snapshot that is being restored; null if none is
//             done      STRING  how many of its steps are done; 'emptying' while what stood there is being deleted
//             point     STRING  root of the snapshot of what stood there before; null if the store was empty
// Try it      paste as it is
CYPHER 25
OPTIONAL MATCH (restored:SchemaVersion {id: 'restore'})
OPTIONAL MATCH (point:SchemaVersion {id: 'restore point'})
RETURN NOT EXISTS { (:Paper) } AS is_empty, restored.owner AS root, restored.touched AS done, point.owner AS point
