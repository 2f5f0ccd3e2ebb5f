// The chunks before and after a chunk in its paper, parents aside.
//
// Parameters  $chunk_ids  LIST<STRING>  ids of chunks
//             $window     INTEGER       how many on each side, at least 1
// Returns     chunk_id  STRING
//             before, after  LIST<STRING>  ids of the chunks on each side in the order of the paper
// Index       chunk_position (schema/model.py)
// Try it      :param chunk_ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
//             :param {window: 2}
CYPHER 25
UNWIND $chunk_ids AS chunk_id
MATCH (chunk:Chunk {id: chunk_id})
RETURN chunk_id,
       COLLECT {
         MATCH (other:Chunk {paperId: chunk.paperId})
         WHERE chunk.ordinal - $window <= other.ordinal < chunk.ordinal AND chunk.level = 0
         RETURN other.id ORDER BY other.ordinal
       } AS before,
       COLLECT {
         MATCH (other:Chunk {paperId: chunk.paperId})
         WHERE chunk.ordinal < other.ordinal <= chunk.ordinal + $window AND chunk.level = 0 AND other.level = 0
         RETURN other.id ORDER BY other.ordinal
       } AS after
