// Pause a watch, or let it run again.
//
// Parameters  $id         STRING   id of the watch
//             $is_paused  BOOLEAN  true to pause it
// Returns     id  STRING  of the watch; no row if there is none
// Revises     nothing
// Index       watch_id (schema/model.py)
// Try it      :param {id: 'watch-0f2a', is_paused: true}
CYPHER 25
MATCH (watch:Watch {id: $id})
SET watch.isPaused = $is_paused, watch.nextAt = CASE WHEN $is_paused THEN watch.nextAt ELSE datetime() END
RETURN watch.id AS id
