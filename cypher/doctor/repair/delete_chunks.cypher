// Delete chunks that belong to no section and no paper.
//
// Parameters  $ids  LIST<STRING>  ids of chunks
// Returns     n_repaired  INTEGER
// Action      deleted, they belonged to no paper
// Try it      :param {ids: ['c1']}
CYPHER 25
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})
WHERE NOT EXISTS { (:Section)-[:HAS_CHUNK]->(chunk) } AND NOT EXISTS { (:Paper {id: chunk.paperId}) }
DETACH DELETE chunk
RETURN count(*) AS n_repaired
