// The papers of a cluster with how many of its members each is, or has: most first.
//
// Parameters  $id     STRING   id of the cluster
//             $limit  INTEGER  most rows
// Returns     key, title  STRING
//             n           INTEGER
// Index       cluster_id (schema/model.py)
// Try it      :param {id: 'k1', limit: 20}
CYPHER 25
MATCH (:Cluster {id: $id})-[:PARENT_OF]->{0,20}(:Cluster)<-[:IN_CLUSTER]-(member:Paper|Chunk)
WITH coalesce(member.paperId, member.id) AS paper_id, count(*) AS n
MATCH (paper:Paper {id: paper_id})
RETURN paper.key AS key, paper.title AS title, n
ORDER BY n DESC, title, key LIMIT $limit
