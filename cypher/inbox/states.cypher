// States of items of an inbox.
//
// Parameters  $ids  LIST<STRING>  ids of items
// Returns     id     STRING
//             state  STRING  new, accepted, rejected or never
// Index       inbox_item_id (schema/model.py)
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (item:InboxItem {id: id})
RETURN item.id AS id, item.state AS state
