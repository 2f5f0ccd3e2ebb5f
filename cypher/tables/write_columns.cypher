// Replace the columns of an evidence table; those that go lose their cells, others keep them.
//
// Parameters  $table  STRING     id of the table
//             $rows   LIST<MAP>  {id, properties} of each column
// Returns     nothing
// Revises     nothing
// Index       evidence_table_id, table_column_id (schema/model.py)
// Try it      :param {table: 't1', rows: [{id: 'c1', properties: {name: 'dose', question: 'Which dose?', type: 'number'}}]}
CYPHER 25
MATCH (table:EvidenceTable {id: $table})
SET table.changedAt = datetime()
CALL (table) {
  MATCH (table)-[:HAS_COLUMN]->(old:TableColumn)
  WHERE NOT old.id IN [row IN $rows | row.id]
  OPTIONAL MATCH (old)-[:HAS_CELL]->(cell:TableCell)
  DETACH DELETE cell, old
}
UNWIND $rows AS row
MERGE (column:TableColumn {id: row.id})
SET column = row.properties, column.id = row.id, column.collection = table.collection, column.tableId = table.id
MERGE (table)-[:HAS_COLUMN]->(column)
