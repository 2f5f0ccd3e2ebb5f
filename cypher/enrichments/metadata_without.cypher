// Papers of a collection that no field of metadata says anything of.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $limit       INTEGER  most rows
// Returns     key  STRING
// Try it      :param {collection: 'main', limit: 20}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WHERE NOT EXISTS { (paper)-[:IN_CLUSTER]->(:Cluster {kind: 'metadata'}) }
RETURN paper.key AS key
ORDER BY key LIMIT $limit
