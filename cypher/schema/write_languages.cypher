// Note the languages of papers.
//
// Parameters  $rows  LIST<MAP>  {id, language}: id of a paper, and its language, or null
// Returns     nothing
// Revises     papers $rows.id
// Index       paper_id (schema/migrations/0001_constraints.cypher)
// Try it      :param {rows: [{id: 'p1', language: 'de'}]}
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
SET paper.language = row.language
