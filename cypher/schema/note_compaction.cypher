// Note which indexes papergraph db compact has still to build again; none ends it.
//
// Parameters  $waiting  LIST<STRING>  their names
// Returns     nothing
// Revises     nothing
// Try it      :param {waiting: []}
CYPHER 25
MERGE (compaction:SchemaVersion {id: 'compaction'})
SET compaction.waiting = $waiting
WITH compaction WHERE $waiting = []
DELETE compaction
