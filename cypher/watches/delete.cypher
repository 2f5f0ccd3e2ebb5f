// Delete a watch; the papers that it brought stay.
//
// Parameters  $id  STRING  id of the watch
// Returns     id  STRING  of the watch; no row if there is none
// Revises     nothing
// Index       watch_id (schema/model.py)
// Try it      :param {id: 'watch-0f2a'}
CYPHER 25
MATCH (watch:Watch {id: $id})
WITH watch, watch.id AS id
DELETE watch
RETURN id
