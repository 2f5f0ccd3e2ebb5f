// Note what became of tasks that a process holds: done, stored, refused, or to be tried again later.
//
// Parameters  $owner  STRING     name of the process
//             $rows   LIST<MAP>  {id, properties, retry_s}: properties say what became of it, state included; retry_s
//                                after how many seconds it may be tried again, or null
// Returns     id  STRING  of each task that the process held, or had noted before
// Revises     nothing
// Index       ingest_task_id (schema/model.py)
// Try it      :param {owner: 'me', rows: [{id: 'k1', properties: {state: 'done', outcome: 'added'}, retry_s: null}]}
CYPHER 25
UNWIND $rows AS row
MATCH (task:IngestTask {id: row.id})
SET task.id = task.id  // takes the node's write lock before its owner is read
WITH row, task
WHERE task.owner = $owner
SET task += row.properties, task.leaseUntil = null, task.changedAt = datetime(), task.secondsLeft = null,
    task.nEmbedded = null, task.attempts = CASE task.state WHEN 'stored' THEN 0 ELSE task.attempts END,
    task.nextTryAt = CASE WHEN row.retry_s IS NULL THEN null
                          ELSE datetime() + duration({milliseconds: toInteger(1000 * row.retry_s)}) END
RETURN task.id AS id
ORDER BY id
