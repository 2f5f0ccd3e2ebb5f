// Chunks of papers.
//
// Parameters  $paper_ids  LIST<STRING>  ids of papers
//             $limit      INTEGER       most chunks
// Returns     chunk_id, paper_id  STRING
// Index       chunk_position (schema/model.py)
// Try it      :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {limit: 100}
CYPHER 25
UNWIND $paper_ids AS paper_id
MATCH (chunk:Chunk {paperId: paper_id})
WHERE chunk.ordinal >= 0
RETURN chunk.id AS chunk_id, paper_id
ORDER BY chunk_id LIMIT $limit
