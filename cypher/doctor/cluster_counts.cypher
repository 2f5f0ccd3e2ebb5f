// Clusters whose number of members is not that of what belongs to them and to clusters below them.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      count_clusters
// Order       340
// Try it      :param {limit: 10}
CYPHER 25
MATCH (cluster:Cluster)
WITH cluster, COUNT { (cluster)-[:PARENT_OF]->{0,20}(:Cluster)<-[:IN_CLUSTER]-() } AS n
WHERE n > 0 AND coalesce(cluster.nMembers, 0) <> n
RETURN cluster.id AS id, null AS paper_id,
       'says ' + coalesce(toString(cluster.nMembers), 'no number') + ', has ' + n AS problem
ORDER BY id LIMIT $limit
