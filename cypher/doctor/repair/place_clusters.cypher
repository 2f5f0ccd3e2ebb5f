// Take from clusters the members and clusters below them that are not of their place, and from above them all but one.
//
// Parameters  $ids  LIST<STRING>  ids of clusters
// Returns     n_repaired  INTEGER
// Action      left what is of their place
// Try it      :param {ids: ['k1']}
CYPHER 25
UNWIND $ids AS id
MATCH (cluster:Cluster {id: id})
CALL (cluster) {
  MATCH (cluster)<-[wrong:IN_CLUSTER]-(member:Paper|Chunk)
  WHERE member.collection <> cluster.collection
  RETURN wrong
  UNION
  MATCH (cluster)-[wrong:PARENT_OF]->(child:Cluster)
  WHERE child.collection <> cluster.collection OR child.kind <> cluster.kind OR child.level >= cluster.level
  RETURN wrong
  UNION
  MATCH (parent:Cluster)-[above:PARENT_OF]->(cluster)
  WITH above ORDER BY parent.id
  WITH collect(above)[1..] AS others
  UNWIND others AS wrong
  RETURN wrong
}
DELETE wrong
RETURN count(*) AS n_repaired
