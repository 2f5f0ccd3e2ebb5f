// Vectors of entities.
//
// Parameters  $ids  LIST<STRING>  ids of entities
// Returns     id  STRING
//             vector  LIST<FLOAT>  of length 1
// Index       entity_id (schema/model.py)
// Slots       embedding
// Try it      :param {ids: ['e1']}
CYPHER 25
UNWIND $ids AS id
MATCH (thing:Entity {id: id})
WHERE thing.embedding IS NOT NULL
RETURN id, thing.embedding AS vector
