// Forget vectors that are not in use, so that they are missing and made again by the next papergraph embeddings switch.
//
// Parameters  $ids  LIST<STRING>  ids of nodes
// Returns     n_repaired  INTEGER
// Slots       embedding, embeddingModel, embeddingHash
// Action      forgotten, papergraph embeddings switch makes them again
// Try it      :param {ids: ['c1']}
CYPHER 25
MATCH (node:Paper|Chunk|Question|Entity|Cluster)
WHERE node.id IN $ids AND (node.secondEmbedding IS NOT NULL OR node.secondEmbeddingModel IS NOT NULL)
REMOVE node.secondEmbedding, node.secondEmbeddingModel, node.secondEmbeddingHash
RETURN count(*) AS n_repaired
