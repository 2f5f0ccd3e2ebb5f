// One page of entities that they mention for each of several chunks, by name.
//
// Parameters  $ids          LIST<STRING>  ids of chunks
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [name, id]: what they are in order of
//             mention  MAP  names, starts and by: how the chunk names it, where, and what found it
// Index       chunk_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (:Chunk {id: parent_id})-[mention:MENTIONS]->(entity:Entity)
  WHERE ($collections IS NULL OR entity.collection IN $collections)
  WITH entity, mention, [entity.name, entity.id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN entity { .*, embedding: null, secondEmbedding: null } AS node, place, mention { .names, .offsets, .extractor } AS mention
}
RETURN parent_id, node, place, mention
ORDER BY parent_id, place
