// Chunks of a collection with their vectors, what they are similar to, and whether that is all that it was.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $model       STRING   whose vectors: sha-256 of its weights
//             $after       STRING   id of the last chunk before the page, '' for the first page
//             $before      STRING   where ids end: 'g' for all, which are hexadecimal
//             $limit       INTEGER  rows of a page
// Returns     id, paper_id, kind, text  STRING
//             n_similar     INTEGER       how many it was similar to when all were compared; null if it is new
//             similar       LIST<STRING>  ids of later chunks that it is similar to
//             vector        LIST<FLOAT>
// Index       chunk_id (schema/model.py)
// Slots       embedding, embeddingModel
// Try it      :param model => head(COLLECT { MATCH (c:Chunk) RETURN c.embeddingModel LIMIT 1 })
//             :param {collection: 'main', after: '', before: 'g', limit: 2}
CYPHER 25
MATCH (chunk:Chunk)
WHERE $after < chunk.id < $before AND chunk.collection = $collection AND chunk.level = 0 AND chunk.embeddingModel = $model
WITH chunk ORDER BY chunk.id LIMIT $limit
RETURN chunk.id AS id, chunk.paperId AS paper_id, chunk.kind AS kind, chunk.text AS text,
       chunk.nSimilar AS n_similar,
       COLLECT { MATCH (chunk)-[:SIMILAR]->(other:Chunk) RETURN other.id } AS similar, chunk.embedding AS vector
ORDER BY id
