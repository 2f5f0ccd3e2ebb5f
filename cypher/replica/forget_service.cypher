// Delete data about people and the service from a replica: keys, usage, stored answers, jobs.
//
// Parameters  $labels  LIST<STRING>  labels of the nodes to delete
// Returns     nothing
// Revises     nothing
// Try it      :param {labels: ['Spending']}
CYPHER 25
UNWIND $labels AS label
MATCH (node:$(label))
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 1000 ROWS
