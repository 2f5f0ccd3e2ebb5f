// Cells of evidence tables without a column or a source, or with several; records and decisions of no screening.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      look at them in papergraph db shell: papergraph keeps what people wrote
// Order       408
// Try it      :param {limit: 10}
CYPHER 25
CALL () {
  MATCH (node:TableCell)
  WITH node, COUNT { (node)-[:CELL_OF]->(:Source) } AS n_sources, COUNT { (:TableColumn)-[:HAS_CELL]->(node) } AS n_above
  WHERE n_sources <> 1 OR n_above <> 1
  RETURN node, 'a cell is of ' + n_sources + ' sources and ' + n_above + ' columns' AS problem
  UNION ALL
  MATCH (node:ScreeningRecord)
  WITH node, COUNT { (:Screening)-[:HAS_RECORD]->(node) } AS n_above WHERE n_above <> 1
  RETURN node, 'a record is of ' + n_above + ' screenings' AS problem
  UNION ALL
  MATCH (node:ScreeningDecision)
  WITH node, COUNT { (:ScreeningRecord)-[:HAS_DECISION]->(node) } AS n_above WHERE n_above <> 1
  RETURN node, 'a decision is of ' + n_above + ' records' AS problem
}
RETURN coalesce(node.id, elementId(node)) AS id, null AS paper_id, problem
ORDER BY id LIMIT $limit
