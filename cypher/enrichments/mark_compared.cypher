// Note by what questions were compared with all others, unless the one that stands for them has gone meanwhile.
//
// Parameters  $rows  LIST<MAP>  {id, leader, by}: leader is the id of the one that stands for it, or null
// Returns     nothing
// Revises     questions $rows.id
// Index       question_id (schema/model.py)
// Try it      :param {rows: [{id: 'q1', leader: null, by: 'ab'}]}
CYPHER 25
UNWIND $rows AS row
MATCH (question:Question {id: row.id})
WHERE row.leader IS NULL OR EXISTS { (question)-[:DUPLICATE_OF]->(:Question {id: row.leader}) }
SET question.comparisonConfigHash = row.by
