// One page of questions that they answer for each of several chunks, in the order of ids.
//
// Parameters  $ids          LIST<STRING>  ids of chunks
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [id]: what they are in order of
// Index       chunk_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Chunk) RETURN p.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (question:Question)-[:ANSWERED_BY]->(:Chunk {id: parent_id})
  WHERE ($collections IS NULL OR question.collection IN $collections)
  WITH question, [question.id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN question { .*, embedding: null, secondEmbedding: null } AS node, place
}
RETURN parent_id, node, place
ORDER BY parent_id, place
