// Take papers out of their metadata clusters; clusters that are empty then go, and summaries of those that changed.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     nothing
// Revises     papers $ids
// Index       paper_id (schema/model.py)
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (:Paper {id: id})-[of:IN_CLUSTER]->(cluster:Cluster {kind: 'metadata'})
DELETE of
WITH DISTINCT cluster ORDER BY cluster.id
SET cluster.nMembers = COUNT { (:Paper)-[:IN_CLUSTER]->(cluster) }
WITH collect(cluster) AS clusters
CALL (clusters) {
  UNWIND clusters AS cluster
  MATCH (summary:Summary)-[:SUMMARIZES]->(cluster)
  WITH DISTINCT summary
  DETACH DELETE summary
}
CALL (clusters) {
  UNWIND clusters AS cluster
  WITH cluster WHERE cluster.nMembers = 0
  DETACH DELETE cluster
}
