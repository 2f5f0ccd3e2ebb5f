// Write vectors of another model to the other place, of nodes that still have the text that they were made of.
//
// Parameters  $sha256  STRING     checksum of the weights of that model
//             $rows    LIST<MAP>  {node, id, seen, hash, vector}: element id, id, hash of the text that the vector in
//                                 use was made of, hash of the text for that model, and the vector, of length 1
// Returns     n  INTEGER  how many were written
// Slots       first, embedding, embeddingModel, embeddingHash
// Try it      :param sha256 => '0f1e2d3c4b5a6978'
//             :param rows => COLLECT { MATCH (c:Chunk) RETURN {node: elementId(c), id: c.id, seen: coalesce(c.embeddingHash, ''), hash: '', vector: [1.0]} LIMIT 1 }
CYPHER 25
MATCH (model:EmbeddingModel {id: 'second', sha256: $sha256})
WHERE model.state IN ['filling', 'kept']  // else another process has changed the models meanwhile
UNWIND $rows AS row
MATCH (node) WHERE elementId(node) = row.node
SET node.secondEmbeddingModel = node.secondEmbeddingModel  // takes the node's write lock before its text's hash is read
WITH row, node
WHERE node.id = row.id AND coalesce(node.embeddingHash, '') = row.seen AND node.embedding IS NOT NULL
SET node.secondEmbeddingModel = $sha256, node.secondEmbeddingHash = row.hash
WITH row, node
CALL db.create.setNodeVectorProperty(node, 'secondEmbedding', row.vector)
RETURN count(*) AS n
