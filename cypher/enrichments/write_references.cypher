// Write which titles of papers chunks use; a title that no paper has any more is left out.
//
// Parameters  $rows  LIST<MAP>  {chunk_id, id, starts, ends}: a chunk, a name, and where it is used
// Returns     nothing
// Revises     chunks $rows.chunk_id
// Index       chunk_id (schema/model.py)
// Index       name_id (schema/model.py)
// Try it      :param rows => [{chunk_id: 'c1', id: 'n1', starts: [0], ends: [10]}]
CYPHER 25
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.chunk_id})
MATCH (name:Name {id: row.id})
WHERE EXISTS { (:Paper)-[:TITLED]->(name) }
MERGE (chunk)-[use:REFERS_TO]->(name)
SET use.offsets = row.offsets, use.ends = row.ends
