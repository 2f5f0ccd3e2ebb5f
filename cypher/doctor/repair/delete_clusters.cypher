// Delete clusters that nothing belongs to, nor to a cluster below them.
//
// Parameters  $ids  LIST<STRING>  ids of clusters
// Returns     n_repaired  INTEGER
// Action      deleted
// Try it      :param {ids: ['k1']}
CYPHER 25
UNWIND $ids AS id
MATCH (cluster:Cluster {id: id})
WHERE NOT EXISTS { (cluster)-[:PARENT_OF]->{0,20}(:Cluster)<-[:IN_CLUSTER]-() }
DETACH DELETE cluster
RETURN count(*) AS n_repaired
