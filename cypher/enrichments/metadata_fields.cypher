// How many papers of a collection have a value of each field of metadata.
//
// Parameters  $collection  STRING  where to look, for example 'main'
// Returns     field     STRING
//             n_papers  INTEGER
// Index       cluster_kind (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (cluster:Cluster {collection: $collection, kind: 'metadata'})<-[:IN_CLUSTER]-(paper:Paper)
RETURN cluster.field AS field, count(DISTINCT paper) AS n_papers
ORDER BY field
