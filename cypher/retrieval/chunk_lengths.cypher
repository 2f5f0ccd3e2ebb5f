// The lengths of chunks, as the embedding model counts them.
//
// Parameters  $chunk_ids  LIST<STRING>  ids of chunks
// Returns     chunk_id  STRING
//             n_tokens  INTEGER  without the titles and headings above
// Index       chunk_id (schema/model.py)
// Try it      :param chunk_ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
CYPHER 25
UNWIND $chunk_ids AS chunk_id
MATCH (chunk:Chunk {id: chunk_id})
RETURN chunk_id, chunk.nTokens AS n_tokens
