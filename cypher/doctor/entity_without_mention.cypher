// Entities that no chunk mentions.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      delete_entities
// Order       240
// Try it      :param {limit: 10}
CYPHER 25
MATCH (entity:Entity)
WHERE NOT EXISTS { (:Chunk)-[:MENTIONS]->(entity) }
RETURN entity.id AS id, null AS paper_id, coalesce(entity.name, 'an entity') + ' is mentioned nowhere' AS problem
ORDER BY id LIMIT $limit
