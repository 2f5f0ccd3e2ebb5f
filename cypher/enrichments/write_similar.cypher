// Relate chunks that are similar, the one with the lower id to the other.
//
// Parameters  $rows  LIST<MAP>  {first, second, score}: ids of two chunks, and the cosine of their vectors
// Returns     nothing
// Revises     chunks $rows.first, chunks $rows.second
// Index       chunk_id (schema/model.py)
// Try it      :param rows => [{first: 'c1', second: 'd1', score: 0.9}]
CYPHER 25
UNWIND $rows AS row
MATCH (first:Chunk {id: row.first})
MATCH (second:Chunk {id: row.second})
MERGE (first)-[similar:SIMILAR]->(second)
SET similar.score = row.score
