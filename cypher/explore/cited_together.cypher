// Which papers belong together in the eyes of those who cite them? Pairs of papers with the papers that cite both.
//
// Parameters  $collection  STRING   where to look
//             $least       INTEGER  papers that cite both, at least
//             $limit       INTEGER  how many pairs
// Returns     one, other  STRING  titles
//             n_citing  INTEGER  papers that cite both; most first
//             citing    LIST<STRING>  up to five of their titles, by name
// Source      Small 1973, Co-citation in the scientific literature, doi:10.1002/asi.4630240406
// Try it      :param {collection: 'main', least: 1, limit: 20}
CYPHER 25
MATCH (cited:Paper {collection: $collection})<-[:CITES]-(citing:Paper)-[:CITES]->(beside:Paper)
WHERE cited.id < beside.id
WITH cited, beside, citing ORDER BY citing.title, citing.id
WITH cited, beside, count(*) AS n_citing, collect(citing.title)[..5] AS citing
WHERE n_citing >= $least
RETURN cited.title AS one, beside.title AS other, n_citing, citing
ORDER BY n_citing DESC, one, other, cited.id, beside.id
LIMIT $limit
