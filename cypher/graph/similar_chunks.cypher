// One page of chunks of other papers that are alike for each of several chunks, the most alike first.
//
// Parameters  $ids          LIST<STRING>  ids of chunks
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [-score, id]: what they are in order of
//             score  FLOAT  cosine of both vectors, to three digits
// Index       chunk_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (:Chunk {id: parent_id})-[similar:SIMILAR]-(chunk:Chunk)
  WHERE ($collections IS NULL OR chunk.collection IN $collections)
  WITH chunk, similar.score AS score, [-similar.score, chunk.id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN chunk { .*, embedding: null, secondEmbedding: null } AS node, place, score
}
RETURN parent_id, node, place, score
ORDER BY parent_id, place
