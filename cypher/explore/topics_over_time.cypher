// How do topics grow and fade? Papers and passages of each topic, year by year.
//
// Parameters  $collection  STRING   where to look
//             $level       INTEGER  level of topics, 0 for the finest
//             $limit       INTEGER  how many topics, the largest
// Returns     topic       STRING
//             year        INTEGER
//             n_papers    INTEGER  papers of the year with a passage in it
//             n_passages  INTEGER  passages of these in it
// Index       cluster_kind (schema/model.py)
// Try it      :param {collection: 'main', level: 0, limit: 5}
CYPHER 25
MATCH (topic:Cluster {collection: $collection, kind: 'topic', level: $level})
WITH topic ORDER BY topic.nMembers DESC, topic.name, topic.id LIMIT $limit
MATCH (topic)-[:PARENT_OF]->{0,6}(leaf:Cluster)<-[:IN_CLUSTER]-(chunk:Chunk)
WHERE chunk.year IS NOT NULL
RETURN topic.name AS topic, chunk.year AS year, count(DISTINCT chunk.paperId) AS n_papers, count(*) AS n_passages
ORDER BY topic, year
