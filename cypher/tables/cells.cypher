// The last cells of papers in an evidence table, of rules or a model and of people, in the order in which they were made.
//
// Parameters  $table  STRING        id of the table
//             $ids    LIST<STRING>  ids of papers
//             $until  DATETIME      cells that were made later are left out; null for none
// Returns     paper_id  STRING
//             cell      MAP     properties
//             author    STRING  name of the key of the person; null if unknown
// Index       table_column_table, paper_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {table: 't1', until: null}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})-[:HAS_SOURCE]->(:Source)<-[:CELL_OF]-(cell:TableCell {tableId: $table})
WHERE $until IS NULL OR cell.madeAt <= $until
WITH paper, cell ORDER BY cell.madeAt DESC, cell.id
WITH paper, cell.columnId AS column, cell.byPerson AS by_person, head(collect(cell)) AS cell
OPTIONAL MATCH (key:ApiKey {id: cell.owner})
RETURN paper.id AS paper_id, cell {.*} AS cell, key.name AS author
ORDER BY paper_id, cell.madeAt, cell.id
