// Write papers' sections and their trees; one that stands below another section moves.
//
// Parameters  $rows  LIST<MAP>  {paper_id, id, parent_id, properties}, parents before children
// Returns     nothing
// Revises     papers $rows.paper_id
// Try it      :param rows => [{paper_id: 'a1', id: 's1', parent_id: null, properties: {id: 's1'}}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.paper_id})
MERGE (section:Section {id: row.id})
SET section = row.properties
MERGE (paper)-[:HAS_SECTION]->(section)
WITH row, section
CALL (row, section) {
  MATCH (other:Section)-[old:HAS_SUBSECTION]->(section)
  WHERE other.id <> coalesce(row.parent_id, '')
  DELETE old
}
CALL (row, section) {
  MATCH (parent:Section {id: row.parent_id})
  MERGE (parent)-[:HAS_SUBSECTION]->(section)
}
