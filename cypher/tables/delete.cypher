// Delete evidence tables with their columns and cells.
//
// Parameters  $ids  LIST<STRING>  ids of tables
// Returns     nothing
// Revises     nothing
// Index       evidence_table_id (schema/model.py)
// Try it      :param {ids: ['t1']}
CYPHER 25
MATCH (table:EvidenceTable)
WHERE table.id IN $ids
OPTIONAL MATCH (table)-[:HAS_COLUMN]->(column:TableColumn)
OPTIONAL MATCH (column)-[:HAS_CELL]->(cell:TableCell)
DETACH DELETE cell, column, table
