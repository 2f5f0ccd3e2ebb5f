// Create an empty collection, unless it is there.
//
// Parameters  $collection   STRING    its name
//             $title        STRING    what people call it, or null
//             $description  STRING    what it is for, or null
//             $now          DATETIME  the time that it is
// Returns     created  BOOLEAN  true; no row where it is there already
// Revises     nothing
// Index       collection_id (schema/model.py)
//             paper_listing (schema/model.py)
// Try it      :param now => datetime()
//             :param {collection: 'reading', title: 'To read', description: null}
CYPHER 25
OPTIONAL MATCH (said:Collection {id: $collection})
WITH said
WHERE said.createdAt IS NULL AND NOT EXISTS { (:Paper {collection: $collection}) }
MERGE (collection:Collection {id: $collection})
SET collection.createdAt = $now, collection.title = $title, collection.description = $description
RETURN true AS created
