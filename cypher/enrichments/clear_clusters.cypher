// Take papers and their chunks out of topics and communities; clusters that are empty then go, and summaries of those that
// changed. What their chunks are similar to, and their own ranks, go too.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     nothing
// Revises     papers $ids, and itself those with similar chunks
// Index       paper_id (schema/model.py)
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
REMOVE paper.pageRank
WITH collect(paper) AS papers
CALL (papers) {
  UNWIND papers AS paper
  MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
  REMOVE chunk.nSimilar
  WITH chunk
  MATCH (chunk)-[similar:SIMILAR]-(other:Chunk)
  DELETE similar
  WITH DISTINCT other.paperId AS id
  MATCH (related:Paper {id: id})
  WITH related ORDER BY elementId(related)
  SET related.revision = randomUUID()
}
UNWIND papers AS paper
CALL (paper) {
  RETURN paper AS member
  UNION
  MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(member:Chunk)
  RETURN member
}
MATCH (member)-[of:IN_CLUSTER]->(cluster:Cluster)
WHERE cluster.kind <> 'metadata'
DELETE of
WITH DISTINCT cluster
MATCH (changed:Cluster)-[:PARENT_OF]->{0,20}(cluster)
WITH DISTINCT changed ORDER BY changed.id
SET changed.nMembers = changed.nMembers  // takes the lock before its members are counted
WITH changed
SET changed.nMembers = COUNT { (changed)-[:PARENT_OF]->{0,20}(:Cluster)<-[:IN_CLUSTER]-() }
WITH collect(changed) AS clusters
CALL (clusters) {
  UNWIND clusters AS cluster
  MATCH (summary:Summary)-[:SUMMARIZES]->(cluster)
  WITH DISTINCT summary
  DETACH DELETE summary
}
CALL (clusters) {
  UNWIND clusters AS cluster
  WITH cluster WHERE cluster.nMembers = 0
  DETACH DELETE cluster
}
