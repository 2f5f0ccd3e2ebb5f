// Give back tasks of the ledger, so that the next process takes them.
//
// Parameters  $ids  LIST<STRING>  ids of tasks
// Returns     n_repaired  INTEGER  how many were given back
// Index       ingest_task_id (schema/model.py)
// Action      given back
// Try it      :param {ids: ['k1']}
CYPHER 25
UNWIND $ids AS id
MATCH (task:IngestTask {id: id})
WHERE task.state = 'running'
SET task.state = 'queued', task.owner = null, task.leaseUntil = null
RETURN count(*) AS n_repaired
