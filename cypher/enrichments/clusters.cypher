// Clusters of a collection with the ids of those below each; those of metadata with their papers.
//
// Parameters  $collection  STRING  where to look, for example 'main'
// Returns     id, kind, name, hash  STRING  hash is of what its vector was made of
//             field      STRING        of metadata
//             n_members  INTEGER
//             keywords, children, papers  LIST<STRING>  papers are told of metadata alone
// Index       cluster_kind (schema/model.py)
// Slots       embeddingHash
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (cluster:Cluster)
WHERE cluster.collection = $collection
RETURN cluster.id AS id, cluster.kind AS kind, cluster.name AS name, cluster.embeddingHash AS hash,
       cluster.field AS field, cluster.nMembers AS n_members, coalesce(cluster.keywords, []) AS keywords,
       COLLECT { MATCH (cluster)-[:PARENT_OF]->(child:Cluster) RETURN child.id ORDER BY child.id } AS children,
       COLLECT { MATCH (cluster {kind: 'metadata'})<-[:IN_CLUSTER]-(paper:Paper) RETURN paper.id ORDER BY paper.id } AS papers
ORDER BY id
