// Link each chunk of a paper to the one after it.
//
// Parameters  $rows  LIST<MAP>  {id, chunk_ids}: a paper's id, and the ids of all its chunks in reading order
// Returns     nothing
// Revises     papers $rows.id
// Try it      :param {rows: [{id: 'a1', chunk_ids: ['c1', 'c2']}]}
CYPHER 25
UNWIND $rows AS row
WITH row.chunk_ids AS ids
UNWIND range(0, size(ids) - 2) AS position
MATCH (chunk:Chunk {id: ids[position]})
MATCH (next:Chunk {id: ids[position + 1]})
MERGE (chunk)-[:NEXT_CHUNK]->(next)
