// Papers that are in the same clusters as each of several papers, small clusters counting more.
//
// Parameters  $ids          LIST<STRING>  ids of papers
//             $k            INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node    MAP  properties, vectors left out
//             score   FLOAT  sum over shared clusters of 1 / log2(1 + members); best first
//             shared  LIST<MAP>  {label, id, name} of the five smallest shared clusters
// Index       paper_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {k: 5, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (from:Paper {id: parent_id})-[:IN_CLUSTER]->(cluster:Cluster)<-[:IN_CLUSTER]-(paper:Paper)
  WHERE paper <> from AND ($collections IS NULL OR paper.collection IN $collections)
  WITH DISTINCT paper, cluster
  ORDER BY cluster.nMembers, cluster.id
  WITH paper, sum(1 / (log(1 + cluster.nMembers) / log(2))) AS score,
       collect({label: 'Cluster', id: cluster.id, name: cluster.name})[..5] AS shared
  ORDER BY score DESC, paper.id LIMIT $k
  RETURN paper, score, shared
}
RETURN parent_id, paper { .*, embedding: null, secondEmbedding: null } AS node, score, shared
ORDER BY parent_id, score DESC, paper.id
