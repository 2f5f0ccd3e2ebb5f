// Delete what is no longer held to be the same.
//
// Parameters  $rows  LIST<MAP>  {start_id, end_id}
// Returns     nothing
// Revises     nothing
// Index       entity_id (schema/model.py)
// Try it      :param rows => [{start_id: 'e1', end_id: 'f1'}]
CYPHER 25
UNWIND $rows AS row
MATCH (:Entity {id: row.start_id})-[same:SAME_AS]->(:Entity {id: row.end_id})
DELETE same
