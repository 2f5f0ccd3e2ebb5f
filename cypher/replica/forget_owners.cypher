// Remove the accounts of those who made shared annotations, tables and cells from a replica.
//
// Parameters  none
// Returns     nothing
// Revises     nothing
// Try it      paste as it is
CYPHER 25
MATCH (node:Annotation|EvidenceTable|TableCell)
CALL (node) { SET node.owner = '' } IN TRANSACTIONS OF 1000 ROWS
