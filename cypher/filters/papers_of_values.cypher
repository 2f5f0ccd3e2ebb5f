// Papers of a collection that have one of some categories, keywords or formats, case aside.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $property     STRING        categories, keywords or format
//             $values       LIST<STRING>  in lower case, for example ['quant-ph']
// Returns     found  LIST<STRING>      values that these papers have, of those asked for
//             paper_ids  LIST<STRING>  papers that have just these
// Index       paper_listing (schema/model.py)
// Try it      :param {collections: ['main'], property: 'categories'}
//             :param values => COLLECT { MATCH (p:Paper) UNWIND p.categories AS c RETURN toLower(c) LIMIT 1 }
CYPHER 25
MATCH (paper:Paper)
WHERE paper.collection IN $collections
WITH paper, [value IN [] + coalesce(paper[$property], []) WHERE toLower(value) IN $values | toLower(value)] AS found
WHERE size(found) > 0
RETURN found, collect(paper.id) AS paper_ids
