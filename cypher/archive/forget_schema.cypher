// Forget the version of the schema, and what was chosen for indexes, before a snapshot is restored.
//
// Parameters  $ids  LIST<STRING>  notes of the version and of choices (schema/reset.py)
// Returns     nothing
// Revises     nothing
// Try it      :param {ids: ['no such note']}
CYPHER 25
MATCH (version:SchemaVersion)
WHERE version.id IN $ids
DELETE version
