// Migrations that were applied to this store.
//
// Parameters  none
// Returns     name  STRING  file name without its ending, in order
//             checksum  STRING  sha-256 hex of the file when it was applied
// Try it      paste as it is
CYPHER 25
MATCH (version:SchemaVersion)
WHERE version.checksum IS NOT NULL
RETURN version.id AS name, version.checksum AS checksum
ORDER BY name
