// Write which entities chunks mention; what was given for a chunk stays as it is unless it is given again.
//
// Parameters  $rows  LIST<MAP>  {chunk_id, entity_id, properties}
// Returns     nothing
// Revises     chunks $rows.chunk_id
// Index       chunk_id, entity_id (schema/model.py)
// Try it      :param rows => [{chunk_id: 'c1', entity_id: 'e1', properties: {names: ['Words'], aliases: [], type: 'Term', by: 'terms', starts: [0]}}]
CYPHER 25
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.chunk_id})
MATCH (entity:Entity {id: row.entity_id})
MERGE (chunk)-[mention:MENTIONS]->(entity)
WITH row, mention WHERE coalesce(mention.extractor, '') <> 'given' OR row.properties.extractor = 'given'
SET mention = row.properties
