// What a collection's papers are about, as an operator wrote it.
//
// Parameters  $collection  STRING  for example 'main'
// Returns     subject  STRING  null where nobody wrote it
// Index       collection_id (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
OPTIONAL MATCH (collection:Collection {id: $collection})
RETURN collection.subject AS subject
