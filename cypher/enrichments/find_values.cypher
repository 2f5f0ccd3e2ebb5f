// Metadata clusters of some fields and values.
//
// Parameters  $collection  STRING     where to look, for example 'main'
//             $wanted      LIST<MAP>  {field, value}
// Returns     id, field, value  STRING
// Index       cluster_kind (schema/model.py)
// Try it      :param {collection: 'main', wanted: [{field: 'task', value: 'ranking'}]}
CYPHER 25
UNWIND $wanted AS wanted
MATCH (cluster:Cluster {collection: $collection, kind: 'metadata', field: wanted.field, value: wanted.value})
RETURN cluster.id AS id, cluster.field AS field, cluster.value AS value
ORDER BY field, value
