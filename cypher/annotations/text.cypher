// Text of a paper as its chunks have it, in order.
//
// Parameters  $id  STRING  id of the paper
// Returns     text        STRING
//             start, end  INTEGER  where it stands in the source text
// Index       chunk_position (schema/model.py)
// Try it      :param id => head(COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 1 })
CYPHER 25
MATCH (chunk:Chunk {paperId: $id})
WHERE chunk.ordinal >= 0 AND chunk.level = 0
RETURN chunk.text AS text, chunk.startChar AS start, chunk.endChar AS end
ORDER BY chunk.startChar, chunk.ordinal
