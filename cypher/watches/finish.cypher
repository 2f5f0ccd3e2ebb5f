// Note a run of a watch, and release it.
//
// Parameters  $id         STRING   id of the watch
//             $holder     STRING   name of the process that holds it
//             $state      STRING   what it saw, as JSON; null to leave it
//             $outcome    STRING   done, failed or asks
//             $words      STRING   what was done, or why not
//             $pause_s    INTEGER  seconds until the next run
//             $most       INTEGER  runs that the log keeps
// Returns     nothing
// Revises     nothing
// Index       watch_id (schema/model.py)
// Try it      :param {id: 'w', holder: 'me', state: '{}', outcome: 'done', words: '', pause_s: 60, most: 100}
CYPHER 25
MATCH (watch:Watch {id: $id, holder: $holder})
SET watch.state = coalesce($state, watch.state), watch.nextAt = datetime() + duration({seconds: $pause_s}),
    watch.nFailures = CASE $outcome WHEN 'failed' THEN watch.nFailures + 1 ELSE 0 END,
    watch.log = ([toString(datetime.transaction()) + ' | ' + $outcome + ' | ' + $words] + watch.log)[..$most]
REMOVE watch.holder, watch.heldUntil
