// Write entries of papers' lists of references, cited by the chunks that hold one of their places and by no others.
//
// Parameters  $rows  LIST<MAP>  {paper_id, id, chunk_ids, properties}
// Returns     nothing
// Revises     papers $rows.paper_id
// Try it      :param rows => [{paper_id: 'a1', id: 'r1', chunk_ids: ['c1'], properties: {id: 'r1', ordinal: 0}}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.paper_id})
MERGE (reference:Reference {id: row.id})
SET reference = row.properties
MERGE (paper)-[:HAS_REFERENCE]->(reference)
WITH row, reference
CALL (row, reference) {
  MATCH (other:Chunk)-[old:CITES_REFERENCE]->(reference)
  WHERE NOT other.id IN row.chunk_ids
  DELETE old
}
UNWIND row.chunk_ids AS chunk_id
MATCH (chunk:Chunk {id: chunk_id})
MERGE (chunk)-[:CITES_REFERENCE]->(reference)
