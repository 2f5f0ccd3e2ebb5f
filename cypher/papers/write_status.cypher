// Set the editorial status of papers.
//
// Parameters  $rows  LIST<MAP>  {id, status, date, notices}: null for a paper without notices
// Returns     nothing
// Revises     papers $rows.id
// Index       paper_id (schema/model.py)
// Try it      :param rows => [{id: 'a1', status: 'retracted', date: '2010-02-06', notices: ['retracted | … | crossref |  | ']}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
SET paper.editorialStatus = row.status, paper.editorialDate = row.date, paper.editorialNotices = row.notices
