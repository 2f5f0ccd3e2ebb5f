// One page of papers for each of several clusters, or of the clusters below them, by title.
//
// Parameters  $ids          LIST<STRING>  ids of clusters, or of the clusters below them
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [title, id]: what they are in order of
// Index       cluster_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (c:Cluster) RETURN c.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (:Cluster {id: parent_id})-[:PARENT_OF*0..12]->(:Cluster)<-[:IN_CLUSTER]-(paper:Paper)
  WHERE ($collections IS NULL OR paper.collection IN $collections)
  WITH DISTINCT paper
  WITH paper, [paper.title, paper.id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN paper { .*, embedding: null, secondEmbedding: null } AS node, place
}
RETURN parent_id, node, place
ORDER BY parent_id, place
