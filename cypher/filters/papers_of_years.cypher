// Papers of a collection that were published from one year to another, both included.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $first        INTEGER       first year that passes
//             $last         INTEGER       last year that passes
// Returns     paper_ids  LIST<STRING>  papers; those whose year is not known are not among them
//             n_papers   INTEGER       papers of the collection
//             n_undated  INTEGER       how many of them have no year
// Index       paper_listing (schema/model.py)
// Try it      :param {collections: ['main'], first: 2000, last: 2030}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.collection IN $collections
RETURN collect(CASE WHEN $first <= paper.year <= $last THEN paper.id END) AS paper_ids,
       count(*) AS n_papers, count(*) - count(paper.year) AS n_undated
