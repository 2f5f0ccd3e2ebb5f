// Put chunks below their parents; one that stands below another parent moves.
//
// Parameters  $rows  LIST<MAP>  {id, parent_id, paper_id}: ids of chunks, and of their paper
// Returns     nothing
// Revises     papers $rows.paper_id
// Index       chunk_id (schema/model.py)
// Try it      :param rows => [{id: 'c1', parent_id: 'c9', paper_id: 'a1'}]
CYPHER 25
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.id})
MATCH (parent:Chunk {id: row.parent_id})
MERGE (chunk)-[:CHILD_OF]->(parent)
WITH chunk, parent
CALL (chunk, parent) {
  MATCH (chunk)-[old:CHILD_OF]->(other)
  WHERE other.id <> parent.id
  DELETE old
}
