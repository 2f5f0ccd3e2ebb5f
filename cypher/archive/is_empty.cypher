// Whether the store holds no papers, and how far an archive is restored into it.
//
// Parameters  none
// Returns     is_empty  BOOLEAN
//             root      STRING  root of the archive that a restore has begun with; null if none has
//             done      STRING  how many of its steps are done
// Try it      paste as it is
CYPHER 25
OPTIONAL MATCH (restored:SchemaVersion {id: 'restore'})
RETURN NOT EXISTS { (:Paper) } AS is_empty, restored.owner AS root, restored.touched AS done
