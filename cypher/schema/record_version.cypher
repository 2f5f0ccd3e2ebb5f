// Record the version of this store's schema, unless it has it.
//
// Parameters  $version  INTEGER
// Returns     nothing
// Revises     nothing
// Try it      :param {version: 1}
CYPHER 25
MERGE (schema:SchemaVersion {id: 'schema'})
WITH schema WHERE schema.version IS NULL OR schema.version <> $version
SET schema.version = $version, schema.appliedAt = datetime()
