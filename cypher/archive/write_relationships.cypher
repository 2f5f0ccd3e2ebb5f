// Write relationships of an archive between nodes that were written before.
//
// Parameters  $rows  LIST<MAP<ANY>>  of each relationship
//                    start_label, end_label  STRING
//                    start_id, end_id        STRING
//                    type                    STRING
//                    properties              MAP
// Returns     n  INTEGER  relationships that were written: those whose ends are there
// Try it      :param {rows: [{start_label: 'Author', start_id: 'a', end_label: 'Paper', end_id: 'p', type: 'WROTE', properties: {}}]}
CYPHER 25
UNWIND $rows AS row
MATCH (start:$(row.start_label) {id: row.start_id})
MATCH (end:$(row.end_label) {id: row.end_id})
CREATE (start)-[relationship:$(row.type)]->(end)
SET relationship = row.properties
RETURN count(relationship) AS n
