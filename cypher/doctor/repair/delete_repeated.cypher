// Of relationships between the same two nodes that say the same, keep one.
//
// Parameters  $ids  LIST<STRING>  ids of nodes that the relationships start at
// Returns     n_repaired  INTEGER
// Action      deleted, one of each is kept
// Try it      :param {ids: ['c1']}
CYPHER 25
UNWIND $ids AS id
MATCH (node:Paper|Author|Section|Chunk|Question|Entity|Cluster {id: id})
CALL (node) {
  MATCH (node)-[relationship]->(other)
  WITH other, type(relationship) AS type, properties(relationship) AS said, collect(relationship) AS same
  WHERE size(same) > 1
  FOREACH (repeated IN tail(same) | DELETE repeated)
  RETURN size(same) - 1 AS n
}
RETURN sum(n) AS n_repaired
