// Chunks whose text another one of the given chunks holds, as an ancestor in a hierarchy.
//
// Parameters  $chunk_ids  LIST<STRING>  ids of chunks
// Returns     chunk_id, holder_id  STRING  the outermost holder
// Index       chunk_id (schema/model.py)
// Try it      :param chunk_ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
CYPHER 25
UNWIND $chunk_ids AS chunk_id
MATCH way = (:Chunk {id: chunk_id})-[:CHILD_OF]->{1,5}(holder:Chunk)
WHERE holder.id IN $chunk_ids
WITH chunk_id, holder, length(way) AS levels
ORDER BY chunk_id, levels DESC
WITH chunk_id, collect(holder.id)[0] AS holder_id
RETURN chunk_id, holder_id
ORDER BY chunk_id
