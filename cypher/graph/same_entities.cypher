// One page of entities that are held to be the same for each of several entities, the surest first.
//
// Parameters  $ids          LIST<STRING>  ids of entities
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [-score, id]: what they are in order of
//             same  MAP  score and evidence
// Index       entity_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (e:Entity) RETURN e.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (:Entity {id: parent_id})-[same:SAME_AS]-(entity:Entity)
  WHERE ($collections IS NULL OR entity.collection IN $collections)
  WITH entity, same, [-same.score, entity.id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN entity { .*, embedding: null, secondEmbedding: null } AS node, place, same { .score, .evidence } AS same
}
RETURN parent_id, node, place, same
ORDER BY parent_id, place
