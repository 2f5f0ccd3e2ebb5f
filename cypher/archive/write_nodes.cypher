// Write nodes of an archive; those that stand there already get the same labels and properties again.
//
// Parameters  $rows  LIST<MAP<ANY>>  of each node
//                    label       STRING        the one that its id is unique for
//                    labels      LIST<STRING>
//                    properties  MAP           with its id
// Returns     nothing
// Try it      :param {rows: [{label: 'Author', labels: ['Author'], properties: {id: 'a1', name: 'Ada'}}]}
CYPHER 25
UNWIND $rows AS row
MERGE (node:$(row.label) {id: row.properties.id})
SET node = row.properties
SET node:$(row.labels)
FOREACH (paper IN CASE WHEN node:Paper THEN [node] ELSE [] END | SET paper.revision = randomUUID())
