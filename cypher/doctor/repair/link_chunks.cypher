// Link chunks to the ones after them in their papers.
//
// Parameters  $ids  LIST<STRING>  ids of chunks
// Returns     n_repaired  INTEGER
// Action      linked
// Try it      :param {ids: ['c1']}
CYPHER 25
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})
MATCH (next:Chunk {paperId: chunk.paperId, ordinal: chunk.ordinal + 1})
MERGE (chunk)-[:NEXT_CHUNK]->(next)
RETURN count(*) AS n_repaired
