// Authors of papers, in order.
//
// Parameters  $paper_ids  LIST<STRING>  ids of papers
//             $collections  LIST<STRING>  the collections that the principal reaches, or null for all
// Returns     paper_id  STRING
//             author  MAP  properties; in the paper's order
// Index       paper_id (schema/model.py)
// Try it      :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {collections: null}
CYPHER 25
UNWIND $paper_ids AS paper_id
MATCH (paper:Paper {id: paper_id})<-[wrote:WROTE]-(author:Author)
WHERE $collections IS NULL OR (paper.collection IN $collections AND author.collection IN $collections)
RETURN paper_id, author { .* } AS author
ORDER BY paper_id, wrote.position
