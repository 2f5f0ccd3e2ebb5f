// Clusters that nothing belongs to, nor to a cluster below them.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      delete_clusters
// Order       330
// Try it      :param {limit: 10}
CYPHER 25
MATCH (cluster:Cluster)
WHERE NOT EXISTS { (cluster)-[:PARENT_OF]->{0,20}(:Cluster)<-[:IN_CLUSTER]-() }
RETURN cluster.id AS id, null AS paper_id, coalesce(cluster.name, 'a cluster') + ' is empty' AS problem
ORDER BY id LIMIT $limit
