// Take apart chunks that are similar no longer.
//
// Parameters  $rows  LIST<MAP>  {first, second}: ids of two chunks
// Returns     nothing
// Revises     chunks $rows.first, chunks $rows.second
// Index       chunk_id (schema/model.py)
// Try it      :param rows => [{first: 'c1', second: 'd1'}]
CYPHER 25
UNWIND $rows AS row
MATCH (:Chunk {id: row.first})-[similar:SIMILAR]->(:Chunk {id: row.second})
DELETE similar
