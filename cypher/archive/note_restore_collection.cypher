// Note that one collection of a snapshot is being restored, and under which name, unless the name is taken.
//
// Parameters  $collection  STRING  the new name
//             $renaming    STRING  OLD=NEW
// Returns     n  INTEGER  0 if the name is taken, else 1
// Revises     nothing
// Index       paper_listing (schema/model.py)
// Index       collection_id (schema/model.py)
// Try it      :param {collection: 'copy', renaming: 'main=copy'}
CYPHER 25
UNWIND [$renaming] AS renaming
WITH renaming
WHERE NOT EXISTS { (:Paper {collection: $collection}) } AND NOT EXISTS { (:Collection {id: $collection}) }
MERGE (note:SchemaVersion {id: 'restore collection'})
SET note.owner = renaming
RETURN count(note) AS n
