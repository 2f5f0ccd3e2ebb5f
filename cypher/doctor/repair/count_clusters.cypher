// Count the members of clusters again.
//
// Parameters  $ids  LIST<STRING>  ids of clusters
// Returns     n_repaired  INTEGER
// Action      counted again
// Try it      :param {ids: ['k1']}
CYPHER 25
UNWIND $ids AS id
MATCH (cluster:Cluster {id: id})
SET cluster.nMembers = COUNT { (cluster)-[:PARENT_OF]->{0,20}(:Cluster)<-[:IN_CLUSTER]-() }
RETURN count(*) AS n_repaired
