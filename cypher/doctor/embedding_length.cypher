// Nodes without a vector where each has one, or with one that is not as long as the model's.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       embedding_model_id (schema/model.py)
// Slots       first, embedding
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      mark_papers
// Order       500
// Try it      :param {limit: 10}
CYPHER 25
MATCH (model:EmbeddingModel {id: 'first'})
MATCH (node:Paper|Chunk|Question|Entity|Cluster)
WITH model, node, node.embedding AS vector  // read once, which takes longer than what is asked of it
WHERE model.state = 'active' AND vector IS NULL
      AND (node:Paper OR node:Chunk AND node.kind <> 'parent' OR node:Question)
   OR size(vector) <> model.dimension OR vector IS NOT :: LIST<FLOAT NOT NULL>
RETURN node.id AS id, CASE WHEN node:Paper THEN node.id ELSE node.paperId END AS paper_id,
       CASE
         WHEN vector IS NULL THEN 'has no vector'
         WHEN vector IS NOT :: LIST<FLOAT NOT NULL> THEN 'has something else than numbers for a vector'
         ELSE 'has ' + size(vector) + ' of ' + model.dimension + ' numbers'
       END AS problem
ORDER BY id LIMIT $limit
