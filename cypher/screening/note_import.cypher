// Add an entry to the list of imported files of a screening.
//
// Parameters  $screening  STRING  id of the screening
//             $entry      STRING  the file as JSON
// Returns     nothing
// Revises     nothing
// Index       screening_id (schema/model.py)
// Try it      :param {screening: 's1', entry: '{}'}
CYPHER 25
MATCH (screening:Screening {id: $screening})
SET screening.imports = screening.imports + $entry
