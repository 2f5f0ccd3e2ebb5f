// Write prototypes; what each stands for is written after them.
//
// Parameters  $rows  LIST<MAP>  properties of each
// Returns     nothing
// Revises     nothing
// Index       prototype_id (schema/model.py)
// Try it      :param rows => [{id: 'o1', collection: 'main', kind: 'question', ordinal: 0, centroid: [1.0, 0.0]}]
CYPHER 25
UNWIND $rows AS row
MERGE (prototype:Prototype {id: row.id})
SET prototype = row
