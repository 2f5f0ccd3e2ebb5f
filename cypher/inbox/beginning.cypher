// Up to two items of an inbox whose id begins with some characters.
//
// Parameters  $collection  STRING  for example 'main'
//             $name        STRING  beginning of an id
// Returns     id  STRING
// Index       inbox_item_id (schema/model.py)
// Try it      :param {collection: 'main', name: '1a2b'}
CYPHER 25
MATCH (item:InboxItem)
WHERE item.id STARTS WITH $name AND item.collection = $collection
RETURN item.id AS id LIMIT 2
