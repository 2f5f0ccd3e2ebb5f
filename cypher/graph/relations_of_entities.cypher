// One page of relations for each of several entities, by type and by the other's name.
//
// Parameters  $ids          LIST<STRING>  ids of entities
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [type, name, id, paperId, by]: what they are in order of
//             relation  MAP  type, paperId, chunkIds and by
//             outward   BOOLEAN  whether it leads from the entity to the other
// Index       entity_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (e:Entity) RETURN e.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (entity:Entity {id: parent_id})-[relation:RELATED_TO]-(other:Entity)
  WHERE ($collections IS NULL OR other.collection IN $collections)
  WITH other, relation, startNode(relation) = entity AS outward,
       [relation.type, other.name, other.id, relation.paperId, relation.extractor, startNode(relation).id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN other { .*, embedding: null, secondEmbedding: null } AS node, place, relation { .type, .paperId, .chunkIds, .extractor } AS relation, outward
}
RETURN parent_id, node, place, relation, outward
ORDER BY parent_id, place
