// The constraint that lets processes which start at once agree on one lock and one version of the schema.
//
// Parameters  none
// Returns     nothing
// Revises     nothing
// Try it      paste as it is
CREATE CONSTRAINT schema_version_id IF NOT EXISTS FOR (n:SchemaVersion) REQUIRE n.id IS UNIQUE
