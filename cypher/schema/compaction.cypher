// Indexes that papergraph db compact has still to build again; no row where it is not at work and was not interrupted.
//
// Parameters  none
// Returns     waiting  LIST<STRING>  their names
// Try it      paste as it is
CYPHER 25
MATCH (compaction:SchemaVersion {id: 'compaction'})
RETURN compaction.waiting AS waiting
