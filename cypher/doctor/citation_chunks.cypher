// Citations that are not cited by just those chunks of their paper that hold one of their places.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       chunk_position (schema/migrations/0001_constraints.cypher)
// Advice      papergraph doctor --fix
// Repair      cite_chunks
// Order       150
// Try it      :param {limit: 10}
CYPHER 25
MATCH (citation:Citation)
CALL (citation) {
  MATCH (chunk:Chunk)-[:CITES]->(citation)
  WHERE chunk.paperId <> citation.paperId OR chunk.kind = 'parent'
     OR NOT any(place IN citation.citedAt WHERE chunk.startChar <= place < chunk.endChar)
  RETURN count(chunk) AS n_wrong
}
CALL (citation) {
  MATCH (chunk:Chunk {paperId: citation.paperId})
  WHERE chunk.ordinal >= 0 AND chunk.kind <> 'parent'
    AND any(place IN citation.citedAt WHERE chunk.startChar <= place < chunk.endChar)
    AND NOT EXISTS { (chunk)-[:CITES]->(citation) }
  RETURN count(chunk) AS n_missing
}
WITH citation, n_wrong, n_missing
WHERE n_wrong + n_missing > 0
RETURN citation.id AS id, citation.paperId AS paper_id,
       'is cited by ' + n_wrong + ' chunks that do not name it, and not by ' + n_missing + ' that do' AS problem
ORDER BY id LIMIT $limit
