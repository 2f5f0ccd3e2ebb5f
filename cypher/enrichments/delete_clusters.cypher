// Delete clusters, and the summaries that are about them.
//
// Parameters  $ids  LIST<STRING>  ids of clusters
// Returns     nothing
// Revises     itself
// Index       cluster_id (schema/model.py)
// Try it      :param {ids: ['k1']}
CYPHER 25
UNWIND $ids AS id
MATCH (cluster:Cluster {id: id})
WITH cluster ORDER BY cluster.id
SET cluster.nMembers = cluster.nMembers  // takes the lock before its members are read
WITH collect(cluster) AS clusters
CALL (clusters) {
  UNWIND clusters AS cluster
  MATCH (member:Paper|Chunk)-[:IN_CLUSTER]->(cluster)
  WITH DISTINCT coalesce(member.paperId, member.id) AS id
  MATCH (paper:Paper {id: id})
  WITH paper ORDER BY elementId(paper)
  SET paper.revision = randomUUID()
}
UNWIND clusters AS cluster
OPTIONAL MATCH (summary:Summary)-[:SUMMARIZES]->(cluster)
DETACH DELETE summary, cluster
