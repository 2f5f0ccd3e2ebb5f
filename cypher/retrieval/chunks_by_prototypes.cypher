// Chunks nearest to a query vector among those of the nearest prototypes.
//
// Parameters  $query_vector  LIST<FLOAT>   embedding of the query, same model as the chunks
//             $model         STRING        sha-256 of the weights of that model
//             $collections   LIST<STRING>  where to look, for example ['main']
//             $kinds         LIST<STRING>  kinds of chunk to look in
//             $nprobe        INTEGER       prototypes whose chunks are compared, at least 1
//             $k             INTEGER       chunks, at least 1
// Returns     chunk_id, paper_id  STRING
//             score  FLOAT  (1 + cosine) / 2, in [0, 1], higher is nearer; best first
// Index       prototype_kind (schema/model.py)
// Slots       first, embedding
// Source      Sivic and Zisserman 2003, Video Google, doi:10.1109/ICCV.2003.1238663 (inverted files over prototypes)
// Try it      :param query_vector => head(COLLECT { MATCH (c:Chunk {kind: 'body'}) RETURN c.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param {collections: ['main'], kinds: ['abstract', 'body'], nprobe: 32, k: 5}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: 'active'})
MATCH (prototype:Prototype {kind: 'chunk'})
WHERE prototype.collection IN $collections AND prototype.model = $model
WITH prototype, vector.similarity.cosine(prototype.centroid, $query_vector) AS near
ORDER BY near DESC, prototype.ordinal LIMIT $nprobe
MATCH (prototype)-[:STANDS_FOR]->(chunk:Chunk)
WHERE chunk.kind IN $kinds
WITH chunk, vector.similarity.cosine(chunk.embedding, $query_vector) AS score
ORDER BY score DESC, chunk.id LIMIT $k
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, score
ORDER BY score DESC, chunk_id
