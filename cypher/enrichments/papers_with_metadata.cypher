// A page of a collection's papers with vectors of a model, and the metadata that they have, in the order of ids.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $model       STRING   sha-256 of the model's weights
//             $after       STRING   id of the last paper of the page before, '' at the start
//             $limit       INTEGER  papers, at least 1
// Returns     id, key  STRING
//             content    STRING        hashes of its text and of how it was cut
//             metadata   LIST<LIST<STRING>>  field and value of each metadata cluster, 'other' left out
//             embedding  LIST<FLOAT>
// Index       paper_id (schema/model.py)
// Slots       embedding, embeddingModel
// Try it      :param {collection: 'main', model: 'ab', after: '', limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id > $after AND paper.collection = $collection AND paper.embeddingModel = $model
  AND paper.embedding IS NOT NULL
WITH paper ORDER BY paper.id LIMIT $limit
RETURN paper.id AS id, paper.key AS key, paper.contentHash + paper.configHash AS content,
       COLLECT {
         MATCH (paper)-[:IN_CLUSTER]->(cluster:Cluster {kind: 'metadata'})
         WHERE cluster.value <> 'other'
         RETURN [cluster.field, cluster.value] ORDER BY cluster.field, cluster.value
       } AS metadata, paper.embedding AS embedding
ORDER BY id
