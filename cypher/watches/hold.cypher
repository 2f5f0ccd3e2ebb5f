// Take a watch for a while, or keep it; no other process can meanwhile.
//
// Parameters  $id      STRING   id of the watch
//             $holder  STRING   name of the process
//             $for_s   INTEGER  seconds
// Returns     state  STRING  what the watch saw, as JSON; no row if another process holds it
// Revises     nothing
// Index       watch_id (schema/model.py)
// Try it      :param {id: 'watch-0f2a', holder: 'me', for_s: 120}
CYPHER 25
MATCH (watch:Watch {id: $id})
SET watch.holder = watch.holder  // takes the node's write lock
WITH watch WHERE watch.heldUntil IS NULL OR watch.heldUntil <= datetime() OR watch.holder = $holder
SET watch.holder = $holder, watch.heldUntil = datetime() + duration({seconds: $for_s})
RETURN watch.state AS state
