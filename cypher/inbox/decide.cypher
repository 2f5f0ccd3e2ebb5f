// Note a decision about items of an inbox.
//
// Parameters  $ids    LIST<STRING>  ids of items
//             $state  STRING        new, accepted, rejected or never
// Returns     nothing
// Revises     nothing
// Index       inbox_item_id (schema/model.py)
// Try it      :param {ids: ['a1'], state: 'never'}
CYPHER 25
UNWIND $ids AS id
MATCH (item:InboxItem {id: id})
SET item.state = $state, item.decidedAt = CASE $state WHEN 'new' THEN null ELSE datetime() END
