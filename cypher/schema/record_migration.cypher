// Record that a migration was applied.
//
// Parameters  $name      STRING  file name without its ending
//             $checksum  STRING  sha-256 hex of the file
// Returns     nothing
// Revises     nothing
// Try it      :param {name: '0001_constraints', checksum: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'}
CYPHER 25
MERGE (version:SchemaVersion {id: $name})
ON CREATE SET version.checksum = $checksum, version.appliedAt = datetime()
