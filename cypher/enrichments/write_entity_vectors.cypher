// Write the vectors of entities, made of their names.
//
// Parameters  $rows  LIST<MAP>  {id, vector, properties}: model and hash of the vector
// Returns     nothing
// Revises     nothing
// Index       entity_id (schema/model.py)
// Slots       embedding
// Try it      :param rows => [{id: 'e1', vector: [1.0, 0.0], properties: {embeddingHash: '0f'}}]
CYPHER 25
UNWIND $rows AS row
MATCH (thing:Entity {id: row.id})
SET thing += row.properties
WITH row, thing
CALL db.create.setNodeVectorProperty(thing, 'embedding', row.vector)
