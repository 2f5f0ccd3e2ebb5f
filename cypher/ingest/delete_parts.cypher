// Delete the sections, chunks and references of papers that are not among those to keep, and all parents of a hierarchy.
//
// A parent is always made anew: one that became a chunk, or the other way round, would keep links of what it was.
//
// Parameters  $rows  LIST<MAP>  {id, keep}: a paper's id, and ids of sections, chunks and references
// Returns     nothing
// Revises     papers $rows.id, and itself those related to what goes
// Try it      :param rows => [{id: 'a1', keep: []}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
CALL (paper) {
  MATCH (paper)-[:HAS_SECTION]->(part:Section)
  RETURN part
  UNION ALL
  MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(part:Chunk)
  RETURN part
  UNION ALL
  MATCH (paper)-[:HAS_REFERENCE]->(part:Reference)
  RETURN part
}
WITH row, part WHERE NOT part.id IN row.keep OR part.kind = 'parent'
WITH collect(part) AS parts
CALL (parts) {
  UNWIND parts AS part
  MATCH (other:Chunk|Question)-[:SIMILAR|ANSWERED_BY]->(part)
  WHERE other.paperId <> part.paperId
  WITH DISTINCT other.paperId AS id
  MATCH (related:Paper {id: id})
  WITH related ORDER BY elementId(related)
  SET related.revision = randomUUID()
}
UNWIND parts AS part
DETACH DELETE part
