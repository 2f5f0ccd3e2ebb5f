// Evidence tables of a collection, by name.
//
// Parameters  $collection   STRING        collection to look in; null for those of $collections
//             $name         STRING        id or name of one table; null for all
//             $collections  LIST<STRING>  collections that are reached; null for all
// Returns     table    MAP        properties
//             columns  LIST<MAP>  properties of its columns, in order
// Index       evidence_table_name, table_column_table (schema/model.py)
// Try it      :param {collection: 'main', name: null, collections: null}
CYPHER 25
MATCH (table:EvidenceTable {collection: $collection})
WHERE ($name IS NULL OR table.name = $name OR table.id = $name)
  AND ($collections IS NULL OR table.collection IN $collections)
RETURN table {.*} AS table, COLLECT {
  MATCH (table)-[:HAS_COLUMN]->(column:TableColumn)
  RETURN column {.*} ORDER BY column.position, column.id
} AS columns
ORDER BY table.name, table.id
