// Note of chunks how many they are similar to; null while that is being changed.
//
// Parameters  $rows  LIST<MAP>  {id, n}
// Returns     nothing
// Revises     chunks $rows.id
// Index       chunk_id (schema/model.py)
// Try it      :param rows => [{id: 'c1', n: 0}]
CYPHER 25
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.id})
SET chunk.nSimilar = row.n
