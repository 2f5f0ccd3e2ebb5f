// Which papers of a collection are cited most within it? Those with most citing papers first.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $n_listed    INTEGER  papers that are listed, at least 1
// Returns     papers       LIST<MAP>  id, title, year, n of papers that cite it; the most cited first
// Index       paper_listing (schema/migrations/0001_constraints.cypher)
// Try it      :param {collection: 'main', n_listed: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WITH paper, COUNT { (paper)<-[:CITES]-(:Paper) } AS n
WHERE n > 0
WITH paper, n ORDER BY n DESC, paper.title, paper.id LIMIT $n_listed
RETURN collect(paper { .id, .title, .year, n }) AS papers
