// Give papers their ranks among the others.
//
// Parameters  $rows  LIST<MAP>  {id, page_rank}
// Returns     nothing
// Revises     papers $rows.id
// Index       paper_id (schema/model.py)
// Try it      :param rows => [{id: 'a1', page_rank: 1.0}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
SET paper.pageRank = row.page_rank
