// Write what people call a collection, and what it is for; null takes it back.
//
// Parameters  $collection   STRING  its name
//             $title        STRING  what people call it, or null
//             $description  STRING  what it is for, or null
// Returns     nothing
// Revises     nothing
// Index       collection_id (schema/model.py)
// Try it      :param {collection: 'reading', title: 'To read', description: null}
CYPHER 25
MERGE (collection:Collection {id: $collection})
SET collection.title = $title, collection.description = $description
