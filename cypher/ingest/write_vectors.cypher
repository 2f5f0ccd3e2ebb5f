// Write the vectors of papers that were stored without, and the configuration hash that marks them as complete.
//
// Parameters  $rows    LIST<MAP>  {id, config, nodes}: nodes are {id, hash, vector} of the paper and its chunks
//             $packed  LIST<MAP>  {id, parts} of sources whose packed texts got theirs
//             $sha256  STRING     checksum of the weights of the model
// Returns     nothing
// Revises     papers $rows.id
// Index       paper_id, chunk_id, source_id (schema/model.py)
// Slots       embedding, embeddingModel, embeddingHash
// Try it      :param {sha256: '0f1e2d3c4b5a6978', rows: [{id: 'a1', config: 'b2', nodes: []}], packed: []}
CYPHER 25
CALL () {
  UNWIND $packed AS row
  MATCH (source:Source {id: row.id})
  SET source.parts = row.parts
}
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
SET paper.configHash = row.config
WITH row
UNWIND row.nodes AS one
CALL (one) {
  MATCH (node:Paper {id: one.id})
  RETURN node
  UNION ALL
  MATCH (node:Chunk {id: one.id})
  RETURN node
}
SET node.embeddingModel = $sha256, node.embeddingHash = one.hash
WITH one, node
CALL db.create.setNodeVectorProperty(node, 'embedding', one.vector)
