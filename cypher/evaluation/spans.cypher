// Where chunks stand in the documents they were made of.
//
// Parameters  $chunk_ids  LIST<STRING>  ids of chunks
// Returns     chunk_id  STRING
//             start_char, end_char  INTEGER  characters of the document, counted from 0
// Index       chunk_id (schema/model.py)
// Try it      :param chunk_ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
CYPHER 25
UNWIND $chunk_ids AS chunk_id
MATCH (chunk:Chunk {id: chunk_id})
RETURN chunk_id, chunk.startChar AS start_char, chunk.endChar AS end_char
