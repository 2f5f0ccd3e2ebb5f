// Entities by their ids.
//
// Parameters  $ids  LIST<STRING>  ids, made of names
// Returns     id, name, type  STRING
//             aliases  LIST<STRING>  other names
// Index       entity_id (schema/model.py)
// Try it      :param {ids: ['e1']}
CYPHER 25
UNWIND $ids AS id
MATCH (entity:Entity {id: id})
WHERE entity.name IS NOT NULL
RETURN id, entity.name AS name, entity.type AS type, coalesce(entity.aliases, []) AS aliases
ORDER BY id
