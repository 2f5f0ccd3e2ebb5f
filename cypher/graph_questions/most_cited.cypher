// Which papers of a collection are cited most within it? Those with most citing papers first.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $author_ids  LIST<STRING>  ids of authors, any of whom wrote the paper, or null for all
//             $first_year  INTEGER  no paper of an earlier year, or null
//             $last_year   INTEGER  no paper of a later year, or null
//             $n_listed    INTEGER  papers that are listed, at least 1
// Returns     papers       LIST<MAP>  id, title, year, n of papers that cite it; the most cited first
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main', author_ids: null, first_year: null, last_year: null, n_listed: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WHERE ($first_year IS NULL OR paper.year >= $first_year) AND ($last_year IS NULL OR paper.year <= $last_year)
  AND ($author_ids IS NULL OR EXISTS { (paper)<-[:WROTE]-(writer:Author) WHERE writer.id IN $author_ids })
WITH paper, COUNT { (paper)<-[:CITES]-(:Paper) } AS n
WHERE n > 0
WITH paper, n ORDER BY n DESC, paper.title, paper.id LIMIT $n_listed
RETURN collect(paper { .id, .title, .year, n }) AS papers
