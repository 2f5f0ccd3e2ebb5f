// When this store was copied for researchers, and what is in it; no row where it is no copy.
//
// Parameters  none
// Returns     copied_at    DATETIME      as of when it is
//             collections  LIST<STRING>  what it holds, by name
// Index       schema_version_id (schema/migrations/0001_constraints.cypher)
// Try it      paste as it is
CYPHER 25
MATCH (copy:SchemaVersion {id: 'copy'})
RETURN copy.copiedAt AS copied_at, copy.collections AS collections
