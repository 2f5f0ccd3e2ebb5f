// Chunks that are not linked to the chunk after them in their paper.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       chunk_position (schema/model.py)
// Advice      papergraph doctor --fix
// Repair      link_chunks
// Order       140
// Try it      :param {limit: 10}
CYPHER 25
MATCH (chunk:Chunk)
MATCH (next:Chunk {paperId: chunk.paperId, ordinal: chunk.ordinal + 1})
WHERE chunk.kind <> 'parent' AND next.kind <> 'parent' AND NOT EXISTS { (chunk)-[:NEXT_CHUNK]->(next) }
RETURN chunk.id AS id, chunk.paperId AS paper_id, 'number ' + chunk.ordinal + ' has no link to the next' AS problem
ORDER BY id LIMIT $limit
