// Create a watch.
//
// Parameters  $id          STRING   for example 'watch-0f2a'
//             $collection  STRING   collection that it belongs to
//             $kind        STRING   such as folder or query
//             $subject     STRING   path of the folder, or ''
//             $every_s     INTEGER  seconds from one run to the next
// Returns     nothing
// Revises     nothing
// Index       watch_id (schema/model.py)
// Try it      :param {id: 'watch-0f2a', collection: 'main', kind: 'folder', subject: '/papers', every_s: 86400}
CYPHER 25
MERGE (watch:Watch {id: $id})
SET watch.collection = $collection, watch.kind = $kind, watch.subject = $subject, watch.everyS = $every_s,
    watch.isPaused = false, watch.createdAt = datetime(), watch.nextAt = datetime(), watch.nFailures = 0,
    watch.state = '{}', watch.log = []
