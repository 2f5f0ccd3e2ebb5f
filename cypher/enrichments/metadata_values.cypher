// How many papers of a collection have each value of each field of metadata.
//
// Parameters  $collection  STRING  where to look, for example 'main'
// Returns     field, value  STRING
//             n_papers      INTEGER  most first within a field
// Index       cluster_kind (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (cluster:Cluster {collection: $collection, kind: 'metadata'})
RETURN cluster.field AS field, cluster.value AS value, cluster.nMembers AS n_papers
ORDER BY field, n_papers DESC, value
