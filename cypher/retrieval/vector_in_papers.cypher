// Chunks of the given papers nearest to a query vector, by the index; none if the vectors are no longer of the model.
//
// The index looks among these papers alone. Of the first $n_looked those are left out that $chunk_ids leave out.
//
// Parameters  $query_vector    LIST<FLOAT>   embedding of the query, same model as the index
//             $model           STRING        sha-256 of the weights of that model
//             $state           STRING        'active', or 'kept' to look among vectors that are no longer in use
//             $collections     LIST<STRING>  where to look, for example ['main']
//             $kinds           LIST<STRING>  kinds of chunk to look in
//             $paper_ids       LIST<STRING>  ids of the papers to look in
//             $chunk_ids       LIST<STRING>  ids of chunks
//             $all_but_chunks  BOOLEAN       whether these are left out, or all others
//             $n_looked        INTEGER       how many chunks of the papers the index gives, at least $k
//             $k               INTEGER       how many chunks, at least 1
// Returns     chunk_id, paper_id  STRING
//             score  FLOAT  (1 + cosine) / 2, in [0, 1], higher is nearer; best first
// Index       chunk_embedding (schema/model.py)
// Slots       first, embedding, chunk_embedding
// Try it      :param query_vector => head(COLLECT { MATCH (c:Chunk {kind: 'body'}) RETURN c.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {state: 'active', collections: ['main'], kinds: ['abstract', 'body'], n_looked: 5, k: 5}
//             :param {chunk_ids: [], all_but_chunks: true}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: $state})
MATCH (chunk:Chunk)
  SEARCH chunk IN (
    VECTOR INDEX chunk_embedding
    FOR $query_vector
    WHERE chunk.collection IN $collections AND chunk.kind IN $kinds AND chunk.paperId IN $paper_ids
    LIMIT $n_looked
  ) SCORE AS score
WITH chunk, score WHERE (chunk.id IN $chunk_ids) <> $all_but_chunks
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, score
ORDER BY score DESC, chunk_id
LIMIT $k
