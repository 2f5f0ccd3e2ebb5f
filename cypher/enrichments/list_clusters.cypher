// Clusters of a collection, largest first.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $kind        STRING   metadata, topic or community; null for all
//             $level       INTEGER  0 for the finest; null for all
//             $limit       INTEGER  most rows
// Returns     id, kind, name, field  STRING
//             level, n_members       INTEGER
//             keywords               LIST<STRING>
// Index       cluster_kind (schema/model.py)
// Try it      :param {collection: 'main', kind: null, level: null, limit: 20}
CYPHER 25
MATCH (cluster:Cluster {collection: $collection})
WHERE ($kind IS NULL OR cluster.kind = $kind) AND ($level IS NULL OR cluster.level = $level)
RETURN cluster.id AS id, cluster.kind AS kind, cluster.name AS name, cluster.field AS field, cluster.level AS level,
       cluster.nMembers AS n_members, coalesce(cluster.keywords, []) AS keywords
ORDER BY n_members DESC, kind, id LIMIT $limit
