// Write clusters of chunks with those of their members that are in no finer one, and with the finer ones, which are there.
//
// Parameters  $rows  LIST<MAP>  {id, properties, own, children}: ids of chunks and of clusters
// Returns     nothing
// Revises     chunks $rows.own
// Index       chunk_id, cluster_id (schema/model.py)
// Try it      :param rows => [{id: 'k1', properties: {id: 'k1', kind: 'topic', level: 0}, own: ['c1'], children: []}]
CYPHER 25
UNWIND $rows AS row
MERGE (cluster:Cluster {id: row.id})
SET cluster += row.properties
WITH row, cluster
CALL (row, cluster) {
  UNWIND row.own AS id
  MATCH (member:Chunk {id: id})
  MERGE (member)-[:IN_CLUSTER]->(cluster)
}
CALL (row, cluster) {
  UNWIND row.children AS id
  MATCH (child:Cluster {id: id})
  MERGE (cluster)-[:PARENT_OF]->(child)
}
