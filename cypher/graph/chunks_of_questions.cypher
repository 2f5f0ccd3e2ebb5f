// One page of chunks that answer them for each of several questions, in reading order.
//
// Parameters  $ids          LIST<STRING>  ids of questions
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [ordinal]: what they are in order of
// Index       question_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (q:Question) RETURN q.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (:Question {id: parent_id})-[:ANSWERED_BY]->(chunk:Chunk)
  WHERE ($collections IS NULL OR chunk.collection IN $collections)
  WITH chunk, [chunk.ordinal] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN chunk { .*, embedding: null, secondEmbedding: null } AS node, place
}
RETURN parent_id, node, place
ORDER BY parent_id, place
