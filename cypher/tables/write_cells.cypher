// Write cells of an evidence table; one with the same id stays as it was made.
//
// Parameters  $rows  LIST<MAP>  {id, column, source, properties}: ids of the cell, its column and its source
// Returns     id  STRING  of each that stands now
// Revises     nothing
// Index       table_cell_id, table_column_id, source_id (schema/model.py)
// Try it      :param {rows: [{id: 'x1', column: 'c1', source: 'main /a.md', properties: {state: 'value', value: '3 mg'}}]}
CYPHER 25
UNWIND $rows AS row
MATCH (column:TableColumn {id: row.column})
MATCH (source:Source {id: row.source})
MERGE (cell:TableCell {id: row.id})
  ON CREATE SET cell += row.properties, cell.columnId = column.id, cell.tableId = column.tableId,
                cell.collection = column.collection, cell.madeAt = datetime()
MERGE (column)-[:HAS_CELL]->(cell)
MERGE (cell)-[:CELL_OF]->(source)
RETURN cell.id AS id
