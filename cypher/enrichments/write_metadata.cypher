// Put a paper into the metadata clusters of its values; summaries of these are out of date and go.
//
// The cluster is written before its members are counted, so that who adds another one meanwhile waits, and counts both.
//
// Parameters  $id    STRING     the paper's id
//             $rows  LIST<MAP>  {id, properties, membership} of each cluster, in order of id
// Returns     id, hash  STRING  of each cluster, and of what its vector was made of; null where it has none
// Revises     papers $id
// Slots       embeddingHash
// Try it      :param {id: 'a1'}
//             :param rows => [{id: 'k1', properties: {kind: 'metadata', field: 'task', value: 'ranking'}, membership: {by: 'terms'}}]
CYPHER 25
MATCH (paper:Paper {id: $id})
UNWIND $rows AS row
MERGE (cluster:Cluster {id: row.id})
SET cluster += row.properties
MERGE (paper)-[of:IN_CLUSTER]->(cluster)
SET of = row.membership
WITH DISTINCT cluster
SET cluster.nMembers = COUNT { (:Paper)-[:IN_CLUSTER]->(cluster) }
WITH collect(cluster) AS clusters
CALL (clusters) {
  UNWIND clusters AS cluster
  MATCH (summary:Summary)-[:SUMMARIZES]->(cluster)
  WITH DISTINCT summary
  DETACH DELETE summary
}
UNWIND clusters AS cluster
RETURN cluster.id AS id, cluster.embeddingHash AS hash
