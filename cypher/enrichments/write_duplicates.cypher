// Relate questions to the one that asks the same and stands for them; one that stands for itself is related to none.
//
// Parameters  $rows  LIST<MAP>  {id, leader, score}: leader is the other question's id, or null
// Returns     nothing
// Revises     questions $rows.id, questions $rows.leader
// Index       question_id (schema/model.py)
// Try it      :param {rows: [{id: 'q1', leader: 'q2', score: 0.97}]}
CYPHER 25
UNWIND $rows AS row
MATCH (question:Question {id: row.id})
CALL (row, question) {
  MATCH (question)-[old:DUPLICATE_OF]->(other:Question)
  WHERE other.id <> coalesce(row.leader, '')
  DELETE old
}
MATCH (leader:Question {id: row.leader})
MERGE (question)-[same:DUPLICATE_OF]->(leader)
SET same.score = row.score
