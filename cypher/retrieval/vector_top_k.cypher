// Chunks nearest to a query vector within a collection; none if the vectors are no longer of the query's model.
//
// Parameters  $query_vector  LIST<FLOAT>   embedding of the query, same model as the index
//             $model         STRING        sha-256 of the weights of that model
//             $state         STRING        'active', or 'kept' to look among vectors that are no longer in use
//             $collections   LIST<STRING>  where to look, for example ['main']
//             $kinds         LIST<STRING>  kinds of chunk to look in
//             $k             INTEGER       how many chunks, at least 1
// Returns     chunk_id, paper_id  STRING
//             score  FLOAT  (1 + cosine) / 2, in [0, 1], higher is nearer; best first
// Index       chunk_embedding (schema/model.py)
// Slots       first, embedding, chunk_embedding
// Source      Karpukhin et al. 2020, Dense Passage Retrieval, arXiv:2004.04906
// Try it      :param query_vector => head(COLLECT { MATCH (c:Chunk {kind: 'body'}) RETURN c.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param {state: 'active', collections: ['main'], kinds: ['abstract', 'body'], k: 5}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: $state})
MATCH (chunk:Chunk)
  SEARCH chunk IN (
    VECTOR INDEX chunk_embedding
    FOR $query_vector
    WHERE chunk.collection IN $collections AND chunk.kind IN $kinds
    LIMIT $k
  ) SCORE AS score
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, score
ORDER BY score DESC, chunk_id
