// One page of clusters for each of several papers or chunks, by kind and name, the finest first.
//
// Parameters  $ids          LIST<STRING>  ids of papers or chunks
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [kind, level, name, id]: what they are in order of
// Index       paper_id, chunk_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  CALL (parent_id) {
    MATCH (:Paper {id: parent_id})-[:IN_CLUSTER]->(cluster:Cluster)
    RETURN cluster
    UNION ALL
    MATCH (:Chunk {id: parent_id})-[:IN_CLUSTER]->(cluster:Cluster)
    RETURN cluster
  }
  MATCH (above:Cluster)-[:PARENT_OF*0..12]->(cluster)
  WHERE ($collections IS NULL OR above.collection IN $collections)
  WITH DISTINCT above AS cluster
  WITH cluster, [cluster.kind, cluster.level, cluster.name, cluster.id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN cluster { .*, embedding: null, secondEmbedding: null } AS node, place
}
RETURN parent_id, node, place
ORDER BY parent_id, place
