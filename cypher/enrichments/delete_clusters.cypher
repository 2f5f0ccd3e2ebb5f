// Delete clusters, and the summaries that are about them.
//
// Parameters  $ids  LIST<STRING>  ids of clusters
// Returns     nothing
// Index       cluster_id (schema/migrations/0001_constraints.cypher)
// Try it      :param {ids: ['k1']}
CYPHER 25
UNWIND $ids AS id
MATCH (cluster:Cluster {id: id})
OPTIONAL MATCH (summary:Summary)-[:SUMMARIZES]->(cluster)
DETACH DELETE summary, cluster
