// One page of chunks that mention them for each of several entities, by paper and in reading order.
//
// Parameters  $ids          LIST<STRING>  ids of entities
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [paperId, ordinal]: what they are in order of
//             mention  MAP  names, starts and by: how the chunk names it, where, and what found it
// Index       entity_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (e:Entity) RETURN e.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (chunk:Chunk)-[mention:MENTIONS]->(:Entity {id: parent_id})
  WHERE ($collections IS NULL OR chunk.collection IN $collections)
  WITH chunk, mention, [chunk.paperId, chunk.ordinal] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN chunk { .*, embedding: null, secondEmbedding: null } AS node, place, mention { .names, .offsets, .extractor } AS mention
}
RETURN parent_id, node, place, mention
ORDER BY parent_id, place
