// Relate references to the chunks of their paper that hold one of their places, and to no others.
//
// Parameters  $ids  LIST<STRING>  ids of references
// Returns     n_repaired  INTEGER
// Index       chunk_position (schema/model.py)
// Action      related to the chunks that name them
// Try it      :param {ids: ['r1']}
CYPHER 25
UNWIND $ids AS id
MATCH (reference:Reference {id: id})
CALL (reference) {
  MATCH (chunk:Chunk)-[wrong:CITES_REFERENCE]->(reference)
  WHERE chunk.paperId <> reference.paperId OR chunk.kind = 'parent'
     OR NOT any(place IN reference.citedAt WHERE chunk.startChar <= place < chunk.endChar)
  DELETE wrong
}
CALL (reference) {
  MATCH (chunk:Chunk {paperId: reference.paperId})
  WHERE chunk.ordinal >= 0 AND chunk.kind <> 'parent'
    AND any(place IN reference.citedAt WHERE chunk.startChar <= place < chunk.endChar)
  MERGE (chunk)-[:CITES_REFERENCE]->(reference)
}
RETURN count(*) AS n_repaired
