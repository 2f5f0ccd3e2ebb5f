// Who writes with whom? Pairs of authors with the papers that they wrote together, the closest pairs first.
//
// Parameters  $collection  STRING   where to look
//             $least       INTEGER  papers that they wrote together, at least
//             $limit       INTEGER  how many pairs
// Returns     author, coauthor  STRING  by name
//             n_papers    INTEGER  papers of both
//             since, until  INTEGER  years of the first and of the last one, where known
// Try it      :param {collection: 'main', least: 1, limit: 20}
CYPHER 25
MATCH (one:Author {collection: $collection})-[:WROTE]->(paper:Paper)<-[:WROTE]-(other:Author)
WHERE one.name < other.name
WITH one, other, count(*) AS n_papers, min(paper.year) AS since, max(paper.year) AS until
WHERE n_papers >= $least
RETURN one.name AS author, other.name AS coauthor, n_papers, since, until
ORDER BY n_papers DESC, author, coauthor, one.id, other.id
LIMIT $limit
