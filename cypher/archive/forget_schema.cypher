// Forget migrations that were applied, or the analyzer that was chosen, before a snapshot of another version is restored.
//
// Parameters  $ids  LIST<STRING>  names of migrations; 'fulltext' is the analyzer
// Returns     nothing
// Revises     nothing
// Try it      :param {ids: ['9999_no_such_migration']}
CYPHER 25
MATCH (version:SchemaVersion)
WHERE version.id IN $ids
DELETE version
