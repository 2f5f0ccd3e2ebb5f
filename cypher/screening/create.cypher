// Create a screening; one with the same id stays.
//
// Parameters  $id          STRING  id of the screening
//             $properties  MAP     collection, name, owner, reasons and raters
// Returns     nothing
// Revises     nothing
// Index       screening_id (schema/model.py)
// Try it      :param {id: 's1', properties: {collection: 'main', name: 'trials', owner: '', reasons: [], raters: 1}}
CYPHER 25
MERGE (screening:Screening {id: $id})
  ON CREATE SET screening += $properties, screening.imports = [], screening.createdAt = datetime()
