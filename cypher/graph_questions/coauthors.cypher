// With whom did these authors write? Those with most papers together first.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $author_ids  LIST<STRING>  ids of authors
//             $n_listed    INTEGER       authors that are listed, at least 1
// Returns     n            INTEGER       coauthors that there are
//             authors      LIST<MAP>     name, n of papers together, paper_ids; those with most papers first
// Index       author_id (schema/model.py)
// Try it      :param {collection: 'main', n_listed: 10}
//             :param author_ids => COLLECT { MATCH (a:Author) RETURN a.id LIMIT 3 }
CYPHER 25
UNWIND $author_ids AS author_id
MATCH (:Author {id: author_id})-[:WROTE]->(paper:Paper)<-[:WROTE]-(other:Author)
WHERE paper.collection = $collection AND NOT other.id IN $author_ids
WITH other, collect(DISTINCT paper.id) AS paper_ids
ORDER BY size(paper_ids) DESC, other.name, other.id
RETURN count(*) AS n,
       collect({name: other.name, n: size(paper_ids), paper_ids: paper_ids})[..$n_listed] AS authors
