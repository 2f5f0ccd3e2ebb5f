// Whether a collection holds any paper, was created empty, or has an inbox.
//
// Parameters  $collection  STRING  for example 'main'
// Returns     found  BOOLEAN
// Index       paper_listing (schema/model.py)
//             collection_id (schema/model.py)
//             inbox_order (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
RETURN EXISTS { (:Paper {collection: $collection}) }
  OR EXISTS { MATCH (said:Collection {id: $collection}) WHERE said.createdAt IS NOT NULL }
  OR EXISTS { MATCH (item:InboxItem {collection: $collection}) WHERE item.state IS NOT NULL } AS found
