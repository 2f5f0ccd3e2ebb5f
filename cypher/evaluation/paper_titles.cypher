// The titles of papers.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     id, title  STRING
// Index       paper_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, coalesce(paper.title, '') AS title
