// Remove the accounts of those who made shared annotations from a replica.
//
// Parameters  none
// Returns     nothing
// Revises     nothing
// Try it      paste as it is
CYPHER 25
MATCH (annotation:Annotation)
CALL (annotation) { SET annotation.owner = '' } IN TRANSACTIONS OF 1000 ROWS
