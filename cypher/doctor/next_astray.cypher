// Chunks that are linked to another chunk than the one after them in their paper; no cycle passes.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      unlink_chunks
// Order       120
// Try it      :param {limit: 10}
CYPHER 25
MATCH (chunk:Chunk)-[:NEXT_CHUNK]->(next:Chunk)
WHERE next.paperId <> chunk.paperId OR next.ordinal <> chunk.ordinal + 1 OR next.kind = 'parent'
RETURN DISTINCT chunk.id AS id, chunk.paperId AS paper_id,
       'number ' + chunk.ordinal + ' is linked to number ' + next.ordinal
         + CASE WHEN next.paperId = chunk.paperId THEN '' ELSE ' of another paper' END
         + CASE WHEN next.kind = 'parent' THEN ', a parent' ELSE '' END AS problem
ORDER BY id LIMIT $limit
