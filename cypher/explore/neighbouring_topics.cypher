// How do topics hang together? Pairs of topics with passages of different papers that are alike, the closest pairs first.
//
// Parameters  $collection  STRING   where to look
//             $level       INTEGER  level of topics, 0 for the finest
//             $limit       INTEGER  how many pairs
// Returns     topic, other  STRING
//             n_links  INTEGER  pairs of passages that are alike, one in each
//             score    FLOAT  mean cosine of these
// Index       cluster_kind (schema/model.py)
// Try it      :param {collection: 'main', level: 0, limit: 12}
CYPHER 25
MATCH (one:Cluster {collection: $collection, kind: 'topic', level: $level})
MATCH (one)-[:PARENT_OF]->{0,6}(:Cluster)<-[:IN_CLUSTER]-(chunk:Chunk)
MATCH (chunk)-[similar:SIMILAR]-(near:Chunk)
MATCH (near)-[:IN_CLUSTER]->(:Cluster)<-[:PARENT_OF]-{0,6}(beside:Cluster {kind: 'topic', level: $level})
WHERE one.id < beside.id
WITH one, beside, count(DISTINCT similar) AS n_links, avg(similar.score) AS score
RETURN one.name AS topic, beside.name AS other, n_links, round(score, 3) AS score
ORDER BY n_links DESC, score DESC, topic, other, one.id, beside.id
LIMIT $limit
