// A page of a collection's papers with the topics of their chunks, each chunk at its finest topic alone.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $after       STRING   id of the last paper of the page before, '' at the start
//             $limit       INTEGER  papers, at least 1
// Returns     id  STRING
//             topics  LIST<MAP>  {id, n: chunks of the paper}
// Index       paper_id (schema/model.py)
// Try it      :param {collection: 'main', after: '', limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id > $after AND paper.collection = $collection
WITH paper ORDER BY paper.id LIMIT $limit
RETURN paper.id AS id, COLLECT {
  MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)-[:IN_CLUSTER]->(topic:Cluster)
  WHERE topic.kind = 'topic'
  WITH topic.id AS topic_id, count(chunk) AS n
  RETURN {id: topic_id, n: n}
} AS topics
ORDER BY id
