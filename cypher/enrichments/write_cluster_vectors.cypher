// Give clusters the vectors of their names.
//
// Parameters  $rows  LIST<MAP>  {id, properties, vector}: properties say which model made the vector, and of which text
// Returns     nothing
// Revises     nothing
// Index       cluster_id (schema/model.py)
// Slots       embedding
// Try it      :param rows => [{id: 'k1', properties: {embeddingModel: 'm'}, vector: [1.0, 0.0]}]
CYPHER 25
UNWIND $rows AS row
MATCH (cluster:Cluster {id: row.id})
SET cluster += row.properties
WITH row, cluster
CALL db.create.setNodeVectorProperty(cluster, 'embedding', row.vector)
