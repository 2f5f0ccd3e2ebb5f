// Delete a screening with its records and decisions.
//
// Parameters  $id  STRING  id of the screening
// Returns     nothing
// Revises     nothing
// Index       screening_id (schema/model.py)
// Try it      :param {id: 's1'}
CYPHER 25
MATCH (screening:Screening {id: $id})
OPTIONAL MATCH (screening)-[:HAS_RECORD]->(record:ScreeningRecord)
OPTIONAL MATCH (record)-[:HAS_DECISION]->(decision:ScreeningDecision)
DETACH DELETE decision, record, screening
