// Which papers of a collection cite these papers? By title.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $paper_ids   LIST<STRING>  ids of papers
//             $n_listed    INTEGER       papers that are listed, at least 1
// Returns     n            INTEGER       papers that there are
//             papers       LIST<MAP>     id, title, year; by title
// Index       paper_id (schema/model.py)
// Try it      :param {collection: 'main', n_listed: 10}
//             :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
CYPHER 25
UNWIND $paper_ids AS paper_id
MATCH (:Paper {id: paper_id})<-[:CITES]-(paper:Paper)
WHERE paper.collection = $collection
WITH DISTINCT paper ORDER BY paper.title, paper.id
RETURN count(*) AS n, collect(paper { .id, .title, .year })[..$n_listed] AS papers
