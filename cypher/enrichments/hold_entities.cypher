// Make entities that are missing and lock all of them, so that nobody else changes what is said of them meanwhile.
//
// Parameters  $rows  LIST<MAP>  {id, collection, collectionTerm}, in order of id
// Returns     nothing
// Revises     nothing
// Index       entity_id (schema/model.py)
// Try it      :param rows => [{id: 'e1', collection: 'main', collectionTerm: 'c0'}]
CYPHER 25
UNWIND $rows AS row
MERGE (entity:Entity {id: row.id})
SET entity:__Node__:__Entity__, entity.collection = row.collection, entity.collectionTerm = row.collectionTerm
