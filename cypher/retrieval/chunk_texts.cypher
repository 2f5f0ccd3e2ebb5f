// The texts of chunks, with the titles and headings above them.
//
// Parameters  $chunk_ids  LIST<STRING>  ids of chunks
// Returns     chunk_id, text, context  STRING
// Index       chunk_id (schema/model.py)
// Try it      :param chunk_ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
CYPHER 25
UNWIND $chunk_ids AS chunk_id
MATCH (chunk:Chunk {id: chunk_id})
RETURN chunk_id, chunk.text AS text, chunk.context AS context
