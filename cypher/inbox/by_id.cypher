// Items of inboxes by their ids.
//
// Parameters  $ids          LIST<STRING>  ids of items
//             $collections  LIST<STRING>  allowed collections, or null for all
// Returns     item  MAP  properties without keys and vector
// Index       inbox_item_id (schema/model.py)
// Try it      :param {ids: ['a1'], collections: null}
CYPHER 25
UNWIND $ids AS id
MATCH (item:InboxItem {id: id})
WHERE $collections IS NULL OR item.collection IN $collections
RETURN item {.*, keys: null, vector: null} AS item
