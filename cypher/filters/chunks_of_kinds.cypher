// Chunks of some kinds in a collection.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $kinds        LIST<STRING>  kinds of chunk
//             $limit        INTEGER       most chunks
// Returns     chunk_id, paper_id  STRING
// Try it      :param {collections: ['main'], kinds: ['abstract'], limit: 100}
CYPHER 25
MATCH (chunk:Chunk)
WHERE chunk.collection IN $collections AND chunk.kind IN $kinds
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id
ORDER BY chunk_id LIMIT $limit
