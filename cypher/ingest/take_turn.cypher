// Wait for the other transactions that write papers; from here to the end of this one, none of them commits.
//
// Parameters  none
// Returns     nothing
// Revises     nothing
// Try it      paste as it is
CYPHER 25
MATCH (turn:SchemaVersion {id: 'schema'})
SET turn.version = turn.version  // takes the node's write lock
