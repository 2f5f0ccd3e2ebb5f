// The chunks of each of some papers that are nearest to a vector.
//
// Parameters  $ids     LIST<STRING>  ids of papers
//             $vector  LIST<FLOAT>   of the model whose vectors are in use
//             $kinds   LIST<STRING>  kinds of chunk
//             $limit   INTEGER       chunks of a paper, at least 1
// Returns     id         STRING        of each paper
//             chunk_ids  LIST<STRING>  the nearest first
// Index       paper_id, chunk_position (schema/model.py)
// Slots       embedding
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 2 }
//             :param vector => head(COLLECT { MATCH (p:Paper) RETURN p.embedding LIMIT 1 })
//             :param {kinds: ['abstract', 'body'], limit: 3}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, COLLECT {
  MATCH (chunk:Chunk {paperId: paper.id})
  WHERE chunk.ordinal >= 0 AND chunk.kind IN $kinds AND chunk.embedding IS NOT NULL
  RETURN chunk.id ORDER BY vector.similarity.cosine(chunk.embedding, $vector) DESC, chunk.id LIMIT $limit
} AS chunk_ids
ORDER BY id
