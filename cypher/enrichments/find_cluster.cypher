// Clusters whose ids begin in a way, with the clusters above and below each.
//
// Parameters  $begin  STRING   an id, or its beginning
//             $limit  INTEGER  most rows
// Returns     id, collection, kind, name, field  STRING
//             level, n_members  INTEGER
//             keywords          LIST<STRING>
//             parents, children  LIST<MAP>  {id, name, n_members}, largest first
// Index       cluster_id (schema/model.py)
// Try it      :param {begin: 'k1', limit: 2}
CYPHER 25
MATCH (cluster:Cluster)
WHERE cluster.id STARTS WITH $begin
RETURN cluster.id AS id, cluster.collection AS collection, cluster.kind AS kind, cluster.name AS name,
       cluster.field AS field, cluster.level AS level, cluster.nMembers AS n_members,
       coalesce(cluster.keywords, []) AS keywords,
       COLLECT {
         MATCH (parent:Cluster)-[:PARENT_OF]->(cluster)
         RETURN {id: parent.id, name: parent.name, n_members: parent.nMembers}
       } AS parents,
       COLLECT {
         MATCH (cluster)-[:PARENT_OF]->(child:Cluster)
         RETURN {id: child.id, name: child.name, n_members: child.nMembers} ORDER BY child.nMembers DESC, child.id
       } AS children
ORDER BY id LIMIT $limit
