// Chunks nearest to a query vector among those of the clusters nearest to it: topics of chunks, or groups of papers.
//
// Parameters  $query_vector  LIST<FLOAT>   embedding of the query, same model as the index
//             $model         STRING        sha-256 of the weights of that model
//             $collections   LIST<STRING>  where to look, for example ['main']
//             $n_clusters    INTEGER       clusters that are looked into, at least 1
//             $paper_ids     LIST<STRING>  ids of the papers to look in, or null for all
//             $kinds         LIST<STRING>  kinds of chunk to look in
//             $k             INTEGER       how many chunks, at least 1
// Returns     chunk_id, paper_id, cluster_id, cluster  STRING
//             score  FLOAT  (1 + cosine) / 2, in [0, 1], higher is nearer; best first
// Index       cluster_embedding (schema/model.py)
// Slots       first, embedding, cluster_embedding
// Try it      :param query_vector => head(COLLECT { MATCH (c:Chunk {kind: 'body'}) RETURN c.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param {collections: ['main'], n_clusters: 3, paper_ids: null, kinds: ['abstract', 'body'], k: 5}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: 'active'})
MATCH (cluster:Cluster)
  SEARCH cluster IN (
    VECTOR INDEX cluster_embedding
    FOR $query_vector
    WHERE cluster.collection IN $collections
    LIMIT $n_clusters
  ) SCORE AS near
CALL (cluster) {
  MATCH (cluster)<-[:IN_CLUSTER]-(chunk:Chunk)
  RETURN chunk
  UNION
  MATCH (cluster)<-[:IN_CLUSTER]-(:Paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
  RETURN chunk
}
WITH chunk, cluster, near
WHERE chunk.kind IN $kinds AND ($paper_ids IS NULL OR chunk.paperId IN $paper_ids)
WITH chunk, cluster ORDER BY near DESC, cluster.id
WITH chunk, head(collect(cluster)) AS cluster
WITH chunk, cluster, vector.similarity.cosine(chunk.embedding, $query_vector) AS score
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, cluster.id AS cluster_id, cluster.name AS cluster, score
ORDER BY score DESC, chunk_id
LIMIT $k
