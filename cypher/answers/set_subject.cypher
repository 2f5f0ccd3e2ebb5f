// Write what a collection's papers are about; null takes it back.
//
// Parameters  $collection  STRING  for example 'main'
//             $subject     STRING  in words, or null
// Returns     collection, subject  STRING
// Revises     nothing
// Index       collection_id (schema/model.py)
// Try it      :param {collection: 'main', subject: 'quantum computing'}
CYPHER 25
MERGE (collection:Collection {id: $collection})
SET collection.subject = $subject
RETURN collection.id AS collection, collection.subject AS subject
