// Chunks of the given papers nearest to a query vector: each is compared, no index is asked, nothing is approximate.
//
// There are none if the vectors are no longer of the query's model.
//
// Parameters  $query_vector  LIST<FLOAT>   embedding of the query, same model as the chunks' ones
//             $model         STRING        sha-256 of the weights of that model
//             $state         STRING        'active', or 'kept' to look among vectors that are no longer in use
//             $paper_ids     LIST<STRING>  ids of the papers to look in
//             $kinds         LIST<STRING>  kinds of chunk to look in
//             $k             INTEGER       how many chunks, at least 1
// Returns     chunk_id, paper_id  STRING
//             score  FLOAT  (1 + cosine) / 2, in [0, 1], higher is nearer; best first
// Index       paper_id (schema/model.py)
// Slots       first, embedding
// Source      Karpukhin et al. 2020, Dense Passage Retrieval, arXiv:2004.04906
// Try it      :param query_vector => head(COLLECT { MATCH (c:Chunk {kind: 'body'}) RETURN c.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {state: 'active', kinds: ['abstract', 'body'], k: 5}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: $state})
UNWIND $paper_ids AS paper_id
MATCH (:Paper {id: paper_id})-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
WHERE chunk.kind IN $kinds
WITH chunk, vector.similarity.cosine(chunk.embedding, $query_vector) AS score
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, score
ORDER BY score DESC, chunk_id
LIMIT $k
