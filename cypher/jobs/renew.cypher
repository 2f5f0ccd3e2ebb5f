// Renew the leases of a process and note how far each of its tasks is.
//
// Parameters  $owner    STRING     name of the process
//             $lease_s  INTEGER    length of the lease
//             $rows     LIST<MAP>  {id, stage, n_chunks, n_embedded, seconds_left, detail}: of each task that it holds;
//                                  all but the id and the stage may be null
// Returns     id  STRING  of each task that it still holds
// Revises     nothing
// Index       ingest_task_id (schema/model.py)
// Try it      :param {owner: 'me', lease_s: 30, rows: [{id: 'k1', stage: 'embed', n_chunks: 60, n_embedded: 20}]}
CYPHER 25
UNWIND $rows AS row
MATCH (task:IngestTask {id: row.id})
SET task.id = task.id  // takes the node's write lock: a task that is being settled keeps what it became
WITH row, task
WHERE task.owner = $owner AND task.state = 'running'
SET task.leaseUntil = datetime() + duration({seconds: $lease_s}),
    task.changedAt = CASE
      WHEN task.stage = row.stage AND coalesce(properties(task).nEmbedded, 0) = coalesce(row.n_embedded, 0)
        AND (task.reason IS NOT NULL OR coalesce(properties(task).detail, '') = coalesce(row.detail, ''))
      THEN properties(task).changedAt ELSE datetime() END
SET task.stage = row.stage, task.nChunks = coalesce(row.n_chunks, task.nChunks), task.nEmbedded = row.n_embedded,
    task.secondsLeft = row.seconds_left,
    task.detail = CASE WHEN task.reason IS NULL THEN row.detail ELSE task.detail END
RETURN task.id AS id
ORDER BY id
