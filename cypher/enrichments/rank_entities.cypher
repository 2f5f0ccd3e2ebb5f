// Give entities their ranks among those that papers mention together.
//
// Parameters  $rows  LIST<MAP>  {id, page_rank}
// Returns     nothing
// Revises     nothing
// Index       entity_id (schema/model.py)
// Try it      :param rows => [{id: 'e1', page_rank: 1.0}]
CYPHER 25
UNWIND $rows AS row
MATCH (entity:Entity {id: row.id})
SET entity.pageRank = row.page_rank
