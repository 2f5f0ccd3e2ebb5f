// Write which entities are held to be the same.
//
// Parameters  $rows  LIST<MAP>  {start_id, end_id, score, evidence}, in order of ids, the lower one first
// Returns     nothing
// Revises     nothing
// Index       entity_id (schema/model.py)
// Try it      :param rows => [{start_id: 'e1', end_id: 'f1', score: 1.0, evidence: 'name'}]
CYPHER 25
UNWIND $rows AS row
MATCH (start:Entity {id: row.start_id})
MATCH (end:Entity {id: row.end_id})
MERGE (start)-[same:SAME_AS]->(end)
SET same.score = row.score, same.evidence = row.evidence
