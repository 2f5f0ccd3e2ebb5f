// Chunks nearest to a query vector among those of papers that cite, or are cited by, the papers of the nearest chunks.
//
// Parameters  $query_vector  LIST<FLOAT>   embedding of the query, same model as the index
//             $model         STRING        sha-256 of the weights of that model
//             $state         STRING        'active', or 'kept' to look among vectors that are no longer in use
//             $collections   LIST<STRING>  where to look, for example ['main']
//             $n_seeds       INTEGER       chunks whose papers are gone out from, at least 1
//             $paper_ids     LIST<STRING>  ids of the papers to look in, or null for all
//             $kinds         LIST<STRING>  kinds of chunk to look in
//             $k             INTEGER       how many chunks, at least 1
// Returns     chunk_id, paper_id  STRING
//             from_id, from_title  STRING  the paper it was come to from
//             score  FLOAT  (1 + cosine) / 2, in [0, 1], higher is nearer; best first
// Index       chunk_embedding (schema/model.py)
// Slots       first, embedding, chunk_embedding
// Try it      :param query_vector => head(COLLECT { MATCH (c:Chunk {kind: 'body'}) RETURN c.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param {state: 'active', collections: ['main'], n_seeds: 5}
//             :param {paper_ids: null, kinds: ['abstract', 'body'], k: 5}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: $state})
MATCH (seed:Chunk)
  SEARCH seed IN (
    VECTOR INDEX chunk_embedding
    FOR $query_vector
    WHERE seed.collection IN $collections AND seed.kind IN $kinds
    LIMIT $n_seeds
  ) SCORE AS near
WITH seed.paperId AS seed_id, max(near) AS near
MATCH (from:Paper {id: seed_id})-[:CITES]-(other:Paper)
WHERE $paper_ids IS NULL OR other.id IN $paper_ids
WITH other, from ORDER BY near DESC, from.id
WITH other, head(collect(from)) AS from
MATCH (other)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
WHERE chunk.kind IN $kinds
WITH chunk, from, vector.similarity.cosine(chunk.embedding, $query_vector) AS score
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, from.id AS from_id, from.title AS from_title, score
ORDER BY score DESC, chunk_id
LIMIT $k
