// One page of chunks for each of several papers, in reading order; the parents of a hierarchy are not among them.
//
// Parameters  $paper_ids  LIST<STRING>  ids of papers
//             $after      INTEGER       ordinal of the last chunk of the page before, -1 at the start
//             $limit      INTEGER       chunks for each paper, at least 1
//             $collections  LIST<STRING>  the collections that the principal reaches, or null for all
// Returns     paper_id  STRING
//             chunk  MAP  properties, the embedding left out
// Index       chunk_position (schema/model.py)
// Try it      :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {after: -1, limit: 10}
//             :param {collections: null}
CYPHER 25
UNWIND $paper_ids AS paper_id
CALL (paper_id) {
  MATCH (chunk:Chunk {paperId: paper_id})
  WHERE chunk.ordinal > $after AND chunk.kind <> 'parent'
    AND ($collections IS NULL OR chunk.collection IN $collections)
  WITH chunk ORDER BY chunk.ordinal LIMIT $limit
  RETURN chunk { .*, embedding: null, secondEmbedding: null } AS chunk
}
RETURN paper_id, chunk
ORDER BY paper_id, chunk.ordinal
