// One page of chunks for each of several sections, in reading order; subsections' chunks are theirs, parents left out.
//
// Parameters  $section_ids  LIST<STRING>  ids of sections
//             $after        INTEGER       ordinal of the last chunk of the page before, -1 at the start
//             $limit        INTEGER       chunks for each section, at least 1
//             $collections  LIST<STRING>  the collections that the principal reaches, or null for all
// Returns     section_id  STRING
//             chunk  MAP  properties, the embedding left out
// Index       section_id (schema/model.py)
// Try it      :param section_ids => COLLECT { MATCH (s:Section) RETURN s.id LIMIT 3 }
//             :param {after: -1, limit: 10}
//             :param {collections: null}
CYPHER 25
UNWIND $section_ids AS section_id
CALL (section_id) {
  MATCH (:Section {id: section_id})-[:HAS_CHUNK]->(chunk:Chunk)
  WHERE chunk.ordinal > $after AND chunk.kind <> 'parent'
    AND ($collections IS NULL OR chunk.collection IN $collections)
  WITH chunk ORDER BY chunk.ordinal LIMIT $limit
  RETURN chunk { .*, embedding: null, secondEmbedding: null } AS chunk
}
RETURN section_id, chunk
ORDER BY section_id, chunk.ordinal
