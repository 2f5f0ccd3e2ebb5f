// Chunks that mention entities, or what is held to be the same as one of them.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $entity_ids   LIST<STRING>  ids of entities; ids of none are left out
// Returns     id  STRING            of each entity
//             chunks  LIST<LIST>  pairs of a chunk's id and its paper's
// Index       entity_id (schema/model.py)
// Try it      :param {collections: ['main'], entity_ids: ['e1']}
CYPHER 25
UNWIND $entity_ids AS entity_id
MATCH (entity:Entity {id: entity_id})
WHERE entity.collection IN $collections
RETURN entity.id AS id, COLLECT {
  MATCH (entity)-[:SAME_AS]-{0,1}(same:Entity)<-[:MENTIONS]-(chunk:Chunk)
  RETURN DISTINCT [chunk.id, chunk.paperId]
} AS chunks
