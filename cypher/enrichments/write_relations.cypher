// Write how entities are related, as a paper says.
//
// Parameters  $rows  LIST<MAP>  {start_id, end_id, properties}, in order of ids
// Returns     nothing
// Revises     nothing
// Index       entity_id (schema/model.py)
// Try it      :param rows => [{start_id: 'e1', end_id: 'f1', properties: {type: 'used for', paperId: 'a1', chunkIds: ['c1'], by: 'given'}}]
CYPHER 25
UNWIND $rows AS row
MATCH (start:Entity {id: row.start_id})
MATCH (end:Entity {id: row.end_id})
MERGE (start)-[relation:RELATED_TO {type: row.properties.type, paperId: row.properties.paperId, extractor: row.properties.extractor}]->(end)
SET relation = row.properties
