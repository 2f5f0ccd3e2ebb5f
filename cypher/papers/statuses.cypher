// Editorial status of papers that have one.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     id, status  STRING
// Index       paper_id (schema/model.py)
// Try it      :param {ids: ['a1']}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id IN $ids AND paper.editorialStatus IS NOT NULL
RETURN paper.id AS id, paper.editorialStatus AS status
