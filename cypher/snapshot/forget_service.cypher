// Delete from a copy what is of people and of the service: keys, what they spent, the ledger of jobs.
//
// Parameters  $labels  LIST<STRING>  labels of what goes
// Returns     nothing
// Revises     nothing
// Try it      :param {labels: ['Spending']}
CYPHER 25
UNWIND $labels AS label
MATCH (node:$(label))
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 1000 ROWS
