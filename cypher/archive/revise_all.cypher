// Give all papers of the store another revision at once, because it is not known which of them change.
//
// Parameters  none
// Returns     nothing
// Revises     itself
// Try it      paste as it is
CYPHER 25
MERGE (whole:SchemaVersion {id: 'revision'})
SET whole.touched = randomUUID()
