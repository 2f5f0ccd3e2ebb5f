// What was said of papers where no value of a field's list fits.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $limit       INTEGER  most rows
// Returns     field, said  STRING
//             n_papers     INTEGER  of how many papers, most first
//             example      STRING   key of one of them
// Index       cluster_kind (schema/model.py)
// Try it      :param {collection: 'main', limit: 20}
CYPHER 25
MATCH (cluster:Cluster {collection: $collection, kind: 'metadata', value: 'other'})<-[of:IN_CLUSTER]-(paper:Paper)
WITH cluster.field AS field, toLower(of.said) AS said, paper
RETURN field, coalesce(said, '') AS said, count(*) AS n_papers, min(paper.key) AS example
ORDER BY field, n_papers DESC, said LIMIT $limit
