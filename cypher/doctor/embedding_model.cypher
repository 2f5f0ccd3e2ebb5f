// Nodes with a vector of another model than the store's, or of none that is told.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       embedding_model_id (schema/model.py)
// Slots       first, embedding, embeddingModel, embeddingHash
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      mark_papers
// Order       520
// Try it      :param {limit: 10}
CYPHER 25
MATCH (model:EmbeddingModel {id: 'first'})
MATCH (node:Paper|Chunk|Question|Entity|Cluster)
WITH model, node
WHERE node.embedding IS NOT NULL
  AND (coalesce(node.embeddingModel, '') <> model.sha256 OR node.embeddingHash IS NULL)
RETURN node.id AS id, CASE WHEN node:Paper THEN node.id ELSE node.paperId END AS paper_id,
       'has a vector of model ' + coalesce(node.embeddingModel, 'unknown') AS problem
ORDER BY id LIMIT $limit
