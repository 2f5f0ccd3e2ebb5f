// Wait for the other transactions that write papers; from here to the end of this one, none of them commits.
//
// Parameters  none
// Returns     nothing
// Revises     nothing
// Try it      paste as it is
CYPHER 25
MATCH (turn:SchemaVersion {id: '0001_constraints'})
SET turn.checksum = turn.checksum  // takes the node's write lock
