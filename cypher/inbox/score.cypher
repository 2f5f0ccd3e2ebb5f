// Set the scores of items of an inbox.
//
// Parameters  $rows  LIST<MAP>  {id, score, words}
// Returns     nothing
// Revises     nothing
// Index       inbox_item_id (schema/model.py)
// Try it      :param {rows: [{id: 'a1', score: 0.5, words: ['+tides']}]}
CYPHER 25
UNWIND $rows AS row
MATCH (item:InboxItem {id: row.id})
SET item.score = row.score, item.words = row.words
