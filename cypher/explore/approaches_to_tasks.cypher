// Which approaches are taken to which tasks, and which are not? Combinations of two metadata fields with their papers.
//
// Parameters  $collection  STRING   where to look
//             $field       STRING   a field, such as task
//             $by          STRING   another one, such as method
//             $limit       INTEGER  how many combinations
// Returns     task, approach  STRING  a value of each field
//             n_papers  INTEGER  papers that have both; most first
//             since     INTEGER  the year of the first one, where known
//             papers    LIST<STRING>  up to five titles, by name
// Index       cluster_kind (schema/model.py)
// Try it      :param {collection: 'main', field: 'task', by: 'method', limit: 20}
CYPHER 25
MATCH (goal:Cluster {collection: $collection, kind: 'metadata', level: 0, field: $field})<-[:IN_CLUSTER]-(paper:Paper)
MATCH (paper)-[:IN_CLUSTER]->(means:Cluster {kind: 'metadata', field: $by})
WITH goal, means, paper ORDER BY paper.title, paper.id
WITH goal, means, count(*) AS n_papers, min(paper.year) AS since, collect(paper.title)[..5] AS papers
RETURN goal.name AS task, means.name AS approach, n_papers, since, papers
ORDER BY n_papers DESC, task, approach, goal.id, means.id
LIMIT $limit
