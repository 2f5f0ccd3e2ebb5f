// Which institutions write papers together? Pairs of institutions with their joint papers, the closest pairs first.
//
// Parameters  $collection  STRING   where to look
//             $least       INTEGER  joint papers, at least
//             $limit       INTEGER  how many pairs
// Returns     institution, partner  STRING
//             n_papers      INTEGER  papers of both
//             since, until  INTEGER  years of the first and of the last one, where known
//             titles        LIST<STRING>  up to five of these papers, by title
// Index       affiliation_name (schema/model.py)
// Try it      :param {collection: 'main', least: 1, limit: 20}
CYPHER 25
MATCH (one:Affiliation {collection: $collection})<-[:AFFILIATED_WITH]-(paper:Paper)-[:AFFILIATED_WITH]->(other:Affiliation)
WHERE one.name < other.name
WITH one, other, paper ORDER BY paper.title, paper.id
WITH one, other, count(*) AS n_papers, min(paper.year) AS since, max(paper.year) AS until, collect(paper.title)[..5] AS titles
WHERE n_papers >= $least
RETURN one.name AS institution, other.name AS partner, n_papers, since, until, titles
ORDER BY n_papers DESC, institution, partner, one.id, other.id
LIMIT $limit
