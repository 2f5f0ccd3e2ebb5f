// Delete all nodes of a label with their relationships, before a snapshot takes their place.
//
// Parameters  $label  STRING  one of the model's
// Returns     nothing
// Try it      :param {label: 'Review'}
CYPHER 25
MATCH (node:$($label))
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 1000 ROWS
