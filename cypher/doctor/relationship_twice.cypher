// Nodes with the same relationship to another node twice; entities may be related in several ways, and by several papers.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      delete_repeated, mark_papers
// Order       90
// Try it      :param {limit: 10}
CYPHER 25
MATCH (node:Paper|Author|Section|Chunk|Question|Entity|Cluster)
CALL (node) {
  MATCH (node)-[relationship]->(other)
  WITH other, type(relationship) AS type, relationship.type AS way, relationship.paperId AS paper,
       CASE WHEN relationship:RELATED_TO THEN relationship.by END AS by, count(*) AS n
  WHERE n > 1
  RETURN type, n
}
RETURN node.id AS id, CASE WHEN node:Paper THEN node.id ELSE node.paperId END AS paper_id,
       n + ' times ' + type + ' to the same node' AS problem
ORDER BY id LIMIT $limit
