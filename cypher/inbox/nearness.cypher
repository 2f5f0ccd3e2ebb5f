// Set how near items of an inbox are to papers.
//
// Parameters  $rows  LIST<MAP>  {id, nearness}
// Returns     nothing
// Revises     nothing
// Index       inbox_item_id (schema/model.py)
// Try it      :param {rows: [{id: 'a1', nearness: 0.5}]}
CYPHER 25
UNWIND $rows AS row
MATCH (item:InboxItem {id: row.id})
SET item.nearness = row.nearness
