// Write which names chunks use, told by their capitals.
//
// Parameters  $rows  LIST<MAP>  {chunk_id, id, collection, key, starts, ends}: a chunk, a name, and where it is used
// Returns     nothing
// Revises     chunks $rows.chunk_id
// Index       chunk_id (schema/model.py)
// Index       name_id (schema/model.py)
// Try it      :param rows => [{chunk_id: 'c1', id: 'n1', collection: 'main', key: 'deep water', starts: [0], ends: [10]}]
CYPHER 25
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.chunk_id})
MERGE (name:Name {id: row.id})
SET name.collection = row.collection, name.key = row.key
MERGE (chunk)-[use:NAMES]->(name)
SET use.offsets = row.offsets, use.ends = row.ends
