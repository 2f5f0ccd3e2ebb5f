// Who wrote the papers of a collection? Authors, those with most papers first.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $first_year  INTEGER  no paper of an earlier year, or null
//             $last_year   INTEGER  no paper of a later year, or null
//             $n_listed    INTEGER  authors that are listed, at least 1
// Returns     n            INTEGER  authors that there are
//             authors      LIST<MAP>  name, n of papers, paper_ids; those with most papers first
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main', first_year: null, last_year: null, n_listed: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})<-[:WROTE]-(author:Author)
WHERE ($first_year IS NULL OR paper.year >= $first_year) AND ($last_year IS NULL OR paper.year <= $last_year)
WITH author, collect(paper.id) AS paper_ids
ORDER BY size(paper_ids) DESC, author.name, author.id
RETURN count(*) AS n,
       collect({name: author.name, n: size(paper_ids), paper_ids: paper_ids[..1]})[..$n_listed] AS authors
