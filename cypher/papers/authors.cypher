// Authors of papers, in order.
//
// Parameters  $paper_ids  LIST<STRING>  ids of papers
// Returns     paper_id  STRING
//             author  MAP  properties; in the paper's order
// Index       paper_id (schema/migrations/0001_constraints.cypher)
// Try it      :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
CYPHER 25
UNWIND $paper_ids AS paper_id
MATCH (paper:Paper {id: paper_id})<-[wrote:WROTE]-(author:Author)
RETURN paper_id, author { .* } AS author
ORDER BY paper_id, wrote.position
