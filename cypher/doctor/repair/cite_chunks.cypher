// Relate citations to the chunks of their paper that hold one of their places, and to no others.
//
// Parameters  $ids  LIST<STRING>  ids of citations
// Returns     n_repaired  INTEGER
// Index       chunk_position (schema/migrations/0001_constraints.cypher)
// Action      related to the chunks that name them
// Try it      :param {ids: ['r1']}
CYPHER 25
UNWIND $ids AS id
MATCH (citation:Citation {id: id})
CALL (citation) {
  MATCH (chunk:Chunk)-[wrong:CITES]->(citation)
  WHERE chunk.paperId <> citation.paperId OR chunk.kind = 'parent'
     OR NOT any(place IN citation.citedAt WHERE chunk.startChar <= place < chunk.endChar)
  DELETE wrong
}
CALL (citation) {
  MATCH (chunk:Chunk {paperId: citation.paperId})
  WHERE chunk.ordinal >= 0 AND chunk.kind <> 'parent'
    AND any(place IN citation.citedAt WHERE chunk.startChar <= place < chunk.endChar)
  MERGE (chunk)-[:CITES]->(citation)
}
RETURN count(*) AS n_repaired
