// Which papers bridge topics? Papers whose passages are spread over several, the most even spread first.
//
// Parameters  $collection  STRING   where to look
//             $level       INTEGER  level of topics, 0 for the finest
//             $least       INTEGER  passages in a topic from which it counts
//             $limit       INTEGER  how many papers
// Returns     paper    STRING  title
//             year     INTEGER  where known
//             spread   FLOAT  entropy of its passages over topics, in bits: 1 for two topics with as many passages each
//             topics   LIST<STRING>  those topics, the one with most passages first
//             n_passages  LIST<INTEGER>  for each of them
// Index       cluster_kind (schema/model.py)
// Source      Leydesdorff 2007, doi:10.1002/asi.20614; Shannon's entropy as a measure of interdisciplinarity
// Try it      :param {collection: 'main', level: 0, least: 2, limit: 10}
CYPHER 25
MATCH (topic:Cluster {collection: $collection, kind: 'topic', level: $level})
MATCH (topic)-[:PARENT_OF]->{0,6}(:Cluster)<-[:IN_CLUSTER]-(chunk:Chunk)
WITH chunk.paperId AS paper_id, topic, count(*) AS n
WHERE n >= $least
ORDER BY n DESC, topic.name, topic.id
WITH paper_id, collect(topic.name) AS topics, collect(n) AS n_passages, sum(n) AS total
WHERE size(topics) > 1
MATCH (paper:Paper {id: paper_id})
WITH paper_id, paper, topics, n_passages,
     -reduce(sum = 0.0, n IN n_passages | sum + (1.0 * n / total) * log(1.0 * n / total)) / log(2) AS spread
RETURN paper.title AS paper, paper.year AS year, round(spread, 3) AS spread, topics, n_passages
ORDER BY spread DESC, paper, paper_id
LIMIT $limit
