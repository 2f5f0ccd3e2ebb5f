// Delete clusters that nothing belongs to.
//
// Parameters  $ids  LIST<STRING>  ids of clusters
// Returns     n_repaired  INTEGER
// Try it      :param {ids: ['k1']}
CYPHER 25
UNWIND $ids AS id
MATCH (cluster:Cluster {id: id})
WHERE NOT EXISTS { ()-[:IN_CLUSTER]->(cluster) }
DETACH DELETE cluster
RETURN count(*) AS n_repaired
