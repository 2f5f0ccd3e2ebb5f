// Cancel a job: nothing of it is begun any more, and what is not written by then is not written.
//
// Parameters  $id  STRING  of the job
// Returns     n  INTEGER  tasks that are cancelled
// Revises     nothing
// Index       ingest_job_id, ingest_task_id, ingest_task_turn (schema/model.py)
// Try it      :param {id: 'j1'}
CYPHER 25
MATCH (job:IngestJob {id: $id})
WHERE job.state IN ['queued', 'running', 'paused']
SET job.state = 'cancelled', job.finishedAt = datetime()
WITH job
OPTIONAL MATCH (task:IngestTask)
WHERE task.jobId = $id AND task.state IN ['queued', 'stored', 'running']
SET task.id = task.id  // takes the node's write lock: what is being written is settled before its state is read again
WITH collect(task.id) AS ids
OPTIONAL MATCH (open:IngestTask)
WHERE open.id IN ids AND open.state IN ['queued', 'stored', 'running']
SET open.state = 'cancelled', open.owner = null, open.leaseUntil = null, open.changedAt = datetime(),
    open.nEmbedded = null, open.secondsLeft = null
RETURN count(open) AS n
