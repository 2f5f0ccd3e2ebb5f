// Where papers came from, first the file of their own key.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     id, source  STRING
// Index       paper_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, paper.sources[0] AS source
