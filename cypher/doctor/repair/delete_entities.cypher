// Delete entities that no chunk mentions.
//
// Parameters  $ids  LIST<STRING>  ids of entities
// Returns     n_repaired  INTEGER
// Action      deleted
// Try it      :param {ids: ['e1']}
CYPHER 25
UNWIND $ids AS id
MATCH (entity:Entity {id: id})
WHERE NOT EXISTS { (:Chunk)-[:MENTIONS]->(entity) }
DETACH DELETE entity
RETURN count(*) AS n_repaired
