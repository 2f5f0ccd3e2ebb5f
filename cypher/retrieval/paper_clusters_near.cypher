// The metadata cluster nearest to a query vector: a group of papers that a summary can be made of.
//
// Parameters  $query_vector  LIST<FLOAT>  embedding of the query, same model as the clusters' ones
//             $model         STRING       sha-256 of the weights of that model
//             $collection    STRING       where to look, for example 'main'
// Returns     cluster_id, cluster  STRING
//             score  FLOAT  (1 + cosine) / 2, in [0, 1]
// Index       cluster_embedding (schema/model.py)
// Slots       first, embedding, cluster_embedding
// Source      Mombaerts et al. 2024, Meta Knowledge for Retrieval Augmented LLMs, arXiv:2408.09017
// Try it      :param query_vector => head(COLLECT { MATCH (c:Chunk) RETURN c.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param {collection: 'main'}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: 'active'})
MATCH (cluster:Cluster)
  SEARCH cluster IN (
    VECTOR INDEX cluster_embedding
    FOR $query_vector
    WHERE cluster.collection = $collection AND cluster.kind = 'metadata'
    LIMIT 1
  ) SCORE AS score
RETURN cluster.id AS cluster_id, cluster.name AS cluster, score
