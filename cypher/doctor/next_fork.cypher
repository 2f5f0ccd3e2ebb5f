// Chunks with more than one chunk after them, or before them.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Order       130
// Try it      :param {limit: 10}
CYPHER 25
MATCH (chunk:Chunk)
WITH chunk, COUNT { (chunk)-[:NEXT_CHUNK]->() } AS n_after, COUNT { ()-[:NEXT_CHUNK]->(chunk) } AS n_before
WHERE n_after > 1 OR n_before > 1
RETURN chunk.id AS id, chunk.paperId AS paper_id, n_before + ' before it, ' + n_after + ' after it' AS problem
ORDER BY id LIMIT $limit
