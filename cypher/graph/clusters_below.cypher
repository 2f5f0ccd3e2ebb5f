// One page of clusters below them for each of several clusters, the largest first.
//
// Parameters  $ids          LIST<STRING>  ids of clusters
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [-nMembers, id]: what they are in order of
// Index       cluster_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (c:Cluster) RETURN c.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (:Cluster {id: parent_id})-[:PARENT_OF]->(cluster:Cluster)
  WHERE ($collections IS NULL OR cluster.collection IN $collections)
  WITH cluster, [-cluster.nMembers, cluster.id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN cluster { .*, embedding: null, secondEmbedding: null } AS node, place
}
RETURN parent_id, node, place
ORDER BY parent_id, place
