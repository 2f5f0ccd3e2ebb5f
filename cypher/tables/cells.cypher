// Cells of papers in an evidence table, in the order in which they were made.
//
// Parameters  $table    STRING        id of the table
//             $ids      LIST<STRING>  ids of papers
//             $until    DATETIME      cells that were made later are left out; null for none
//             $history  BOOLEAN       true for all cells, false for the last one of rules or model and of people
// Returns     paper_id  STRING
//             cell      MAP     properties
//             author    STRING  name of the key of the person; null if unknown
// Index       table_column_table, paper_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {table: 't1', until: null, history: false}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})-[:HAS_SOURCE]->(:Source)<-[:CELL_OF]-(cell:TableCell {tableId: $table})
WHERE $until IS NULL OR cell.madeAt <= $until
WITH paper, cell ORDER BY cell.madeAt DESC, cell.id
WITH paper, cell.columnId AS column, cell.byPerson AS by_person, collect(cell) AS cells
UNWIND CASE WHEN $history THEN reverse(cells) ELSE cells[..1] END AS cell
OPTIONAL MATCH (key:ApiKey {id: cell.owner})
RETURN paper.id AS paper_id, cell {.*} AS cell, key.name AS author
ORDER BY paper_id, cell.madeAt, cell.id
