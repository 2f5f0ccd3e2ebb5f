// One page of entities that they mention for each of several papers, those that most of their chunks mention first.
//
// Parameters  $ids          LIST<STRING>  ids of papers
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [-n_chunks, id]: what they are in order of
//             n_chunks  INTEGER  how many chunks of the paper mention it
// Index       chunk_position (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (chunk:Chunk {paperId: parent_id})-[:MENTIONS]->(entity:Entity)
  WHERE ($collections IS NULL OR entity.collection IN $collections)
  WITH entity, count(chunk) AS n_chunks
  WITH entity, n_chunks, [-n_chunks, entity.id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN entity { .*, embedding: null, secondEmbedding: null } AS node, place, n_chunks
}
RETURN parent_id, node, place, n_chunks
ORDER BY parent_id, place
