// How many papers of a collection are from each year? The latest year first.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $author_ids  LIST<STRING>  ids of authors, any of whom wrote the papers, or null for all
//             $first_year  INTEGER       no paper of an earlier year, or null
//             $last_year   INTEGER       no paper of a later year, or null
//             $n_listed    INTEGER       years that are listed, at least 1
// Returns     n            INTEGER       years that there are
//             years        LIST<MAP>     name of the year, n of papers, paper_ids; the latest first
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main', author_ids: null, first_year: null, last_year: null, n_listed: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WHERE paper.year IS NOT NULL
  AND ($first_year IS NULL OR paper.year >= $first_year) AND ($last_year IS NULL OR paper.year <= $last_year)
  AND ($author_ids IS NULL OR EXISTS { (paper)<-[:WROTE]-(writer:Author) WHERE writer.id IN $author_ids })
WITH paper ORDER BY paper.title, paper.id
WITH paper.year AS year, collect(paper.id) AS paper_ids
ORDER BY year DESC
RETURN count(*) AS n, collect({name: toString(year), n: size(paper_ids), paper_ids: paper_ids[..1]})[..$n_listed] AS years
