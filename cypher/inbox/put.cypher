// Put works into an inbox, or note that they were found again.
//
// Parameters  $rows  LIST<MAP>  {id, properties, state, sources, keys, abstract}; properties count for new items only
// Returns     nothing
// Revises     nothing
// Index       inbox_item_id (schema/model.py)
// Try it      :param {rows: []}
CYPHER 25
UNWIND $rows AS row
MERGE (item:InboxItem {id: row.id})
ON CREATE SET item += row.properties, item.foundAt = datetime()
SET item.state = row.state, item.sources = row.sources, item.keys = row.keys,
    item.abstract = CASE WHEN item.abstract = '' THEN row.abstract ELSE item.abstract END
