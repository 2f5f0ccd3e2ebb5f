// The collections of chunks, and hashes of what was embedded of them: equal for copies of one passage.
//
// Parameters  $chunk_ids  LIST<STRING>  ids of chunks
// Returns     chunk_id, collection  STRING
//             hash  STRING  sha-256 over the model and the text that was embedded, with its context
// Index       chunk_id (schema/model.py)
// Slots       embeddingHash
// Try it      :param chunk_ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
CYPHER 25
UNWIND $chunk_ids AS chunk_id
MATCH (chunk:Chunk {id: chunk_id})
WHERE chunk.embeddingHash IS NOT NULL
RETURN chunk_id, chunk.collection AS collection, chunk.embeddingHash AS hash
