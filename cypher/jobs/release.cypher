// Give back what a process has claimed and not done.
//
// Parameters  $owner   STRING        name of the process
//             $ids     LIST<STRING>  ids of tasks that it may hold
//             $tried   INTEGER       1 if they count as tried, 0 if not
// Returns     nothing
// Revises     nothing
// Index       ingest_task_id (schema/model.py)
// Try it      :param {owner: 'me', ids: ['k1'], tried: 0}
CYPHER 25
UNWIND $ids AS id
MATCH (task:IngestTask {id: id})
WHERE task.owner = $owner AND task.state = 'running'
SET task.state = CASE WHEN task.outcome IS NULL THEN 'queued' ELSE 'stored' END, task.owner = null,
    task.leaseUntil = null, task.changedAt = datetime(), task.nEmbedded = null, task.secondsLeft = null,
    task.detail = CASE WHEN task.reason IS NULL THEN null ELSE task.detail END,
    task.attempts = CASE WHEN $tried = 0 THEN task.attempts - 1 ELSE task.attempts END
