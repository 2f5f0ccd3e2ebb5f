// Chunks of some papers, or of all but some, nearest to a query vector; none if the vectors are of another model by now.
//
// The index gives the first $n_looked of all papers, and then others are left out: where $k come back, they are the
// nearest.
//
// Parameters  $query_vector    LIST<FLOAT>   embedding of the query, same model as the index
//             $model           STRING        sha-256 of the weights of that model
//             $state           STRING        'active', or 'kept' to look among vectors that are no longer in use
//             $collections     LIST<STRING>  where to look, for example ['main']
//             $kinds           LIST<STRING>  kinds of chunk to look in
//             $paper_ids       LIST<STRING>  ids of papers
//             $all_but_papers  BOOLEAN       whether these are left out, or all others
//             $chunk_ids       LIST<STRING>  ids of chunks
//             $all_but_chunks  BOOLEAN       whether these are left out, or all others
//             $n_looked        INTEGER       how many chunks the index gives, at least $k
//             $k               INTEGER       how many chunks, at least 1
// Returns     chunk_id, paper_id  STRING
//             score  FLOAT  (1 + cosine) / 2, in [0, 1], higher is nearer; best first
// Index       chunk_embedding (schema/model.py)
// Slots       first, embedding, chunk_embedding
// Try it      :param query_vector => head(COLLECT { MATCH (c:Chunk {kind: 'body'}) RETURN c.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {state: 'active', collections: ['main'], kinds: ['abstract', 'body'], n_looked: 100, k: 5}
//             :param {all_but_papers: true, chunk_ids: [], all_but_chunks: true}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: $state})
MATCH (chunk:Chunk)
  SEARCH chunk IN (
    VECTOR INDEX chunk_embedding
    FOR $query_vector
    WHERE chunk.collection IN $collections AND chunk.kind IN $kinds
    LIMIT $n_looked
  ) SCORE AS score
WITH chunk, score
WHERE (chunk.paperId IN $paper_ids) <> $all_but_papers AND (chunk.id IN $chunk_ids) <> $all_but_chunks
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, score
ORDER BY score DESC, chunk_id
LIMIT $k
