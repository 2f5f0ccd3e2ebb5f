// Which works do these papers cite? The entries of their lists of references, in order.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $paper_ids   LIST<STRING>  ids of papers
//             $n_listed    INTEGER       works that are listed, at least 1
// Returns     n            INTEGER       works that there are
//             works        LIST<MAP>     paper_id of the citing paper, title or the entry's text, year; in order
// Index       paper_id (schema/model.py)
// Try it      :param {collection: 'main', n_listed: 10}
//             :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
CYPHER 25
UNWIND $paper_ids AS paper_id
MATCH (paper:Paper {id: paper_id})-[:HAS_REFERENCE]->(entry)
WHERE paper.collection = $collection
WITH paper, entry ORDER BY paper.title, paper.id, entry.ordinal
RETURN count(*) AS n,
       collect({paper_id: paper.id, title: coalesce(entry.title, entry.text), year: entry.year})[..$n_listed] AS works
