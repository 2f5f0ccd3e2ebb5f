// One page of a collection's clusters, by kind, the finest first, and by name.
//
// Parameters  $collection  STRING     where to look, for example 'main'
//             $kind        STRING     metadata, topic or community; null for all
//             $level       INTEGER    0 for the finest; null for all
//             $field       STRING     of metadata, only those of this field; null for all
//             $after       LIST<ANY>  place of the last one of the page before, [] at the start
//             $limit       INTEGER    how many, at least 1
// Returns     node   MAP  properties, vectors left out
//             place  LIST<ANY>  [kind, level, name, id]: what they are in order of
// Index       cluster_kind (schema/model.py)
// Try it      :param {collection: 'main', kind: null, level: null, field: null, after: [], limit: 10}
CYPHER 25
MATCH (cluster:Cluster {collection: $collection})
WHERE ($kind IS NULL OR cluster.kind = $kind) AND ($level IS NULL OR cluster.level = $level)
  AND ($field IS NULL OR cluster.field = $field)
WITH cluster, [cluster.kind, cluster.level, cluster.name, cluster.id] AS place
WHERE place > $after
ORDER BY place LIMIT $limit
RETURN cluster { .*, embedding: null, secondEmbedding: null } AS node, place
ORDER BY place
