// Wait until no transaction that brings in papers is under way, and let none begin until this one ends.
//
// Parameters  none
// Returns     n_gates  INTEGER
// Revises     nothing
// Try it      paste as it is
CYPHER 25
UNWIND range(0, 7) AS number
MERGE (gate:SchemaVersion {id: 'writers ' + number})
SET gate.touched = 'a change of models'
RETURN count(gate) AS n_gates
