// Papers of a collection that are of one of some categories, case aside.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $categories   LIST<STRING>  in lower case, for example ['quant-ph']
// Returns     found  LIST<STRING>      categories that these papers are of, of those asked for
//             paper_ids  LIST<STRING>  papers that are of just these
// Index       paper_listing (schema/model.py)
// Try it      :param {collections: ['main']}
//             :param categories => COLLECT { MATCH (p:Paper) UNWIND p.categories AS c RETURN toLower(c) LIMIT 1 }
CYPHER 25
MATCH (paper:Paper)
WHERE paper.collection IN $collections
WITH paper, [category IN paper.categories WHERE toLower(category) IN $categories | toLower(category)] AS found
WHERE size(found) > 0
RETURN found, collect(paper.id) AS paper_ids
