// Let prototypes stand for the questions or chunks that are nearest to them.
//
// Parameters  $rows  LIST<MAP>  {id, prototype}: ids of a question or chunk and of a prototype
// Returns     nothing
// Revises     questions $rows.id, chunks $rows.id
// Index       question_id, chunk_id (schema/model.py)
// Try it      :param {rows: [{id: 'q1', prototype: 'o1'}]}
CYPHER 25
UNWIND $rows AS row
MATCH (prototype:Prototype {id: row.prototype})
WITH row, prototype ORDER BY elementId(prototype)
// takes the lock: who deletes it meanwhile waits, and sees what it stands for
FOREACH (held IN [prototype] | SET held.locked = true REMOVE held.locked)
WITH row, prototype
CALL (row) {
  MATCH (one:Question {id: row.id})
  RETURN one
  UNION ALL
  MATCH (one:Chunk {id: row.id})
  RETURN one
}
MERGE (prototype)-[:STANDS_FOR]->(one)
