// What does an institution publish? Papers of authors who work there, the newest first.
//
// Parameters  $collection   STRING   where to look
//             $institution  STRING   name of the institution, any of its spellings
//             $limit        INTEGER  how many papers
// Returns     institution  STRING   its most frequent spelling
//             title        STRING
//             year         INTEGER  where known
//             authors      LIST<STRING>  of the paper, in its order; a paper seldom says which of them work there
// Index       affiliation_name (schema/model.py)
// Try it      :param institution => head(COLLECT { MATCH (a:Affiliation {collection: 'main'})<-[:AFFILIATED_WITH]-(p:Paper) WITH a, count(p) AS n ORDER BY n DESC, a.name, a.id LIMIT 1 RETURN a.name })
//             :param {collection: 'main', limit: 20}
CYPHER 25
MATCH (institution:Affiliation {collection: $collection})
WHERE institution.name = $institution OR $institution IN institution.aliases
MATCH (institution)<-[:AFFILIATED_WITH]-(paper:Paper)
RETURN institution.name AS institution, paper.title AS title, paper.year AS year,
       COLLECT { MATCH (paper)<-[wrote:WROTE]-(author:Author) RETURN author.name ORDER BY wrote.position } AS authors
ORDER BY year DESC, title, paper.id
LIMIT $limit
