// Clusters with members of another collection, or with clusters below them that are of another collection, kind or level.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      place_clusters
// Order       320
// Try it      :param {limit: 10}
CYPHER 25
MATCH (cluster:Cluster)
WITH cluster,
     COUNT { (cluster)<-[:IN_CLUSTER]-(member:Paper|Chunk) WHERE member.collection <> cluster.collection } AS n_members,
     COUNT {
       (cluster)-[:PARENT_OF]->(child:Cluster)
       WHERE child.collection <> cluster.collection OR child.kind <> cluster.kind OR child.level >= cluster.level
     } AS n_children,
     COUNT { (:Cluster)-[:PARENT_OF]->(cluster) } AS n_parents
WHERE n_members + n_children > 0 OR n_parents > 1
RETURN cluster.id AS id, null AS paper_id,
       'has ' + n_members + ' members and ' + n_children + ' clusters that are not of its place, and ' + n_parents
         + ' clusters above it' AS problem
ORDER BY id LIMIT $limit
