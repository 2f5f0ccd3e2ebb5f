// Write clusters of papers with those of their members that are in no finer one, and with the finer ones, which are there.
//
// Parameters  $rows  LIST<MAP>  {id, properties, own, children}: ids of papers and of clusters
// Returns     nothing
// Revises     papers $rows.own
// Index       paper_id, cluster_id (schema/model.py)
// Try it      :param rows => [{id: 'k1', properties: {id: 'k1', kind: 'community', level: 0}, own: ['a1'], children: []}]
CYPHER 25
UNWIND $rows AS row
MERGE (cluster:Cluster {id: row.id})
SET cluster += row.properties
WITH row, cluster
CALL (row, cluster) {
  UNWIND row.own AS id
  MATCH (member:Paper {id: id})
  MERGE (member)-[:IN_CLUSTER]->(cluster)
}
CALL (row, cluster) {
  UNWIND row.children AS id
  MATCH (child:Cluster {id: id})
  MERGE (cluster)-[:PARENT_OF]->(child)
}
