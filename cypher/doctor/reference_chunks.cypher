// References that are not cited by just those chunks of their paper that hold one of their places.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       chunk_position (schema/model.py)
// Advice      papergraph doctor --fix
// Repair      cite_chunks
// Order       150
// Try it      :param {limit: 10}
CYPHER 25
MATCH (reference:Reference)
CALL (reference) {
  MATCH (chunk:Chunk)-[:CITES_REFERENCE]->(reference)
  WHERE chunk.paperId <> reference.paperId OR chunk.kind = 'parent'
     OR NOT any(place IN reference.citedAt WHERE chunk.startChar <= place < chunk.endChar)
  RETURN count(chunk) AS n_wrong
}
CALL (reference) {
  MATCH (chunk:Chunk {paperId: reference.paperId})
  WHERE chunk.ordinal >= 0 AND chunk.kind <> 'parent'
    AND any(place IN reference.citedAt WHERE chunk.startChar <= place < chunk.endChar)
    AND NOT EXISTS { (chunk)-[:CITES_REFERENCE]->(reference) }
  RETURN count(chunk) AS n_missing
}
WITH reference, n_wrong, n_missing
WHERE n_wrong + n_missing > 0
RETURN reference.id AS id, reference.paperId AS paper_id,
       'is cited by ' + n_wrong + ' chunks that do not name it, and not by ' + n_missing + ' that do' AS problem
ORDER BY id LIMIT $limit
