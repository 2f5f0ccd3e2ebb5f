// Copy one page of vectors in use to the other place, where they are missing; both are of one model.
//
// Parameters  $sha256     STRING   checksum of the weights of that model
//             $after      STRING   id of the last one of the page before, '' at the start
//             $n_vectors  INTEGER  most vectors
// Returns     n  INTEGER  how many were copied
//             last  STRING  id of the last one, null for none
// Index       paper_id, chunk_id, question_id, llama_entity_id, cluster_id (schema/model.py)
// Slots       first, embedding, embeddingModel, embeddingHash
// Try it      :param {sha256: '0f1e2d3c4b5a6978', after: '', n_vectors: 10}
CYPHER 25
MATCH (model:EmbeddingModel {id: 'second', sha256: $sha256})
WHERE model.state IN ['filling', 'kept']  // else another process has changed the models meanwhile
CALL () {
  MATCH (node:Paper)
  WHERE node.id > $after AND node.embedding IS NOT NULL AND coalesce(node.secondEmbeddingModel, '') <> $sha256
  RETURN node
  ORDER BY node.id LIMIT $n_vectors
  UNION ALL
  MATCH (node:Chunk)
  WHERE node.id > $after AND node.embedding IS NOT NULL AND coalesce(node.secondEmbeddingModel, '') <> $sha256
  RETURN node
  ORDER BY node.id LIMIT $n_vectors
  UNION ALL
  MATCH (node:Question)
  WHERE node.id > $after AND node.embedding IS NOT NULL AND coalesce(node.secondEmbeddingModel, '') <> $sha256
  RETURN node
  ORDER BY node.id LIMIT $n_vectors
  UNION ALL
  MATCH (node:__Entity__)
  WHERE node.id > $after AND node.embedding IS NOT NULL AND coalesce(node.secondEmbeddingModel, '') <> $sha256
  RETURN node
  ORDER BY node.id LIMIT $n_vectors
  UNION ALL
  MATCH (node:Cluster)
  WHERE node.id > $after AND node.embedding IS NOT NULL AND coalesce(node.secondEmbeddingModel, '') <> $sha256
  RETURN node
  ORDER BY node.id LIMIT $n_vectors
}
WITH node ORDER BY node.id LIMIT $n_vectors
SET node.secondEmbeddingModel = node.secondEmbeddingModel  // takes the node's write lock before its vector is read
WITH node WHERE node.embedding IS NOT NULL
SET node.secondEmbeddingModel = node.embeddingModel, node.secondEmbeddingHash = node.embeddingHash
WITH node
CALL db.create.setNodeVectorProperty(node, 'secondEmbedding', node.embedding)
RETURN count(*) AS n, max(node.id) AS last
