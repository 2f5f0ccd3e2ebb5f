// Forget applied migrations, and what was chosen for indexes, before a snapshot of another version is restored.
//
// Parameters  $ids  LIST<STRING>  names of migrations, and of choices (schema/reset.py)
// Returns     nothing
// Revises     nothing
// Try it      :param {ids: ['9999_no_such_migration']}
CYPHER 25
MATCH (version:SchemaVersion)
WHERE version.id IN $ids
DELETE version
