// Delete one page of the vectors that are not in use.
//
// Parameters  $after      STRING   id of the last one of the page before, '' at the start
//             $n_vectors  INTEGER  most vectors
// Returns     n  INTEGER  how many were deleted
//             last  STRING  id of the last one, null for none
// Index       paper_id, chunk_id, question_id, llama_entity_id, cluster_id (schema/model.py)
// Slots       first, embedding, embeddingModel, embeddingHash
// Try it      :param {after: '', n_vectors: 10}
CYPHER 25
MATCH (model:EmbeddingModel {id: 'second'})
WHERE model.state = 'dropping'  // else another process has changed the models meanwhile
CALL () {
  MATCH (node:Paper)
  WHERE node.id > $after
    AND (node.secondEmbedding IS NOT NULL OR node.secondEmbeddingModel IS NOT NULL OR node.secondEmbeddingHash IS NOT NULL)
  RETURN node
  ORDER BY node.id LIMIT $n_vectors
  UNION ALL
  MATCH (node:Chunk)
  WHERE node.id > $after
    AND (node.secondEmbedding IS NOT NULL OR node.secondEmbeddingModel IS NOT NULL OR node.secondEmbeddingHash IS NOT NULL)
  RETURN node
  ORDER BY node.id LIMIT $n_vectors
  UNION ALL
  MATCH (node:Question)
  WHERE node.id > $after
    AND (node.secondEmbedding IS NOT NULL OR node.secondEmbeddingModel IS NOT NULL OR node.secondEmbeddingHash IS NOT NULL)
  RETURN node
  ORDER BY node.id LIMIT $n_vectors
  UNION ALL
  MATCH (node:__Entity__)
  WHERE node.id > $after
    AND (node.secondEmbedding IS NOT NULL OR node.secondEmbeddingModel IS NOT NULL OR node.secondEmbeddingHash IS NOT NULL)
  RETURN node
  ORDER BY node.id LIMIT $n_vectors
  UNION ALL
  MATCH (node:Cluster)
  WHERE node.id > $after
    AND (node.secondEmbedding IS NOT NULL OR node.secondEmbeddingModel IS NOT NULL OR node.secondEmbeddingHash IS NOT NULL)
  RETURN node
  ORDER BY node.id LIMIT $n_vectors
}
WITH node ORDER BY node.id LIMIT $n_vectors
REMOVE node.secondEmbedding, node.secondEmbeddingModel, node.secondEmbeddingHash
RETURN count(*) AS n, max(node.id) AS last
