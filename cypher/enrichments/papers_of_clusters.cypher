// The papers that are in clusters, or have chunks there, those of clusters below included.
//
// Parameters  $ids  LIST<STRING>  ids of clusters
// Returns     id      STRING        of each cluster
//             papers  LIST<STRING>  ids of its papers
// Index       cluster_id (schema/model.py)
// Try it      :param {ids: ['k1']}
CYPHER 25
UNWIND $ids AS id
MATCH (cluster:Cluster {id: id})
CALL (cluster) {
  MATCH (cluster)-[:PARENT_OF]->{0,20}(:Cluster)<-[:IN_CLUSTER]-(member:Paper|Chunk)
  WITH DISTINCT coalesce(member.paperId, member.id) AS paper ORDER BY paper
  RETURN collect(paper) AS papers
}
RETURN id, papers
ORDER BY id
