// Add a decision to a record of a screening; one with the same id stays.
//
// Parameters  $record      STRING  id of the record
//             $id          STRING  id of the decision
//             $properties  MAP     stage, rater, verdict, reason, note and resolves
// Returns     nothing
// Revises     nothing
// Index       screening_record_id, screening_decision_id (schema/model.py)
// Try it      :param {record: 'r1', id: 'd1', properties: {stage: 'abstract', rater: '', verdict: 'include'}}
CYPHER 25
MATCH (record:ScreeningRecord {id: $record})
MERGE (decision:ScreeningDecision {id: $id})
  ON CREATE SET decision += $properties, decision.collection = record.collection,
                decision.screeningId = record.screeningId, decision.decidedAt = datetime()
MERGE (record)-[:HAS_DECISION]->(decision)
