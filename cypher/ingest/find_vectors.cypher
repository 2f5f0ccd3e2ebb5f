// Vectors that stand in the graph for texts of papers that are to be written again.
//
// They are looked for in both places of vectors: a hash is of one model's text, whichever place that model has. One that
// the doctor would object to is not among them, so that writing its paper again heals it.
//
// Parameters  $collection  STRING        where the papers stand, for example 'main'
//             $ids         LIST<STRING>  ids that the papers would have
//             $contents    LIST<STRING>  sha-256 hex of what was read
//             $chunkers    LIST<STRING>  ways of cutting whose texts are embedded as these are
//             $hashes      LIST<STRING>  of the texts, as embeddingHash
//             $dimension   INTEGER       length that vectors must have
// Returns     hash  STRING  one of $hashes
//             embedding  LIST<FLOAT>
// Index       paper_id, paper_content, chunk_position (schema/model.py)
// Slots       embedding, embeddingHash
// Try it      :param {collection: 'main', contents: [], chunkers: ['default'], dimension: 384}
//             :param ids => COLLECT { MATCH (paper:Paper {chunker: 'default'}) RETURN paper.id LIMIT 1 }
//             :param hashes => COLLECT { MATCH (chunk:Chunk) RETURN chunk.embeddingHash }
CYPHER 25
CALL () {
  UNWIND $ids AS id
  MATCH (paper:Paper {id: id})
  RETURN paper
  UNION
  UNWIND $contents AS content
  MATCH (paper:Paper {collection: $collection, contentHash: content})
  RETURN paper
}
WITH paper WHERE paper.chunker IN $chunkers
CALL (paper) {
  MATCH (node:Chunk)
  WHERE node.paperId = paper.id AND node.ordinal >= 0
  RETURN node
  UNION ALL
  RETURN paper AS node
}
CALL (node) {
  WITH node WHERE node.embeddingHash IN $hashes
  RETURN node.embeddingHash AS hash, node.embedding AS embedding
  UNION ALL
  WITH node WHERE node.secondEmbeddingHash IN $hashes
  RETURN node.secondEmbeddingHash AS hash, node.secondEmbedding AS embedding
}
WITH hash, embedding
WHERE embedding IS :: LIST<FLOAT NOT NULL> NOT NULL AND size(embedding) = $dimension
      AND abs(reduce(sum = 0.0, number IN embedding | sum + number * number) - 1.0) < 0.01
RETURN hash, head(collect(embedding)) AS embedding
ORDER BY hash
