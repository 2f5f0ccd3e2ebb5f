// Cancel a job: nothing of it is begun any more, and what is not written by then is not written.
//
// Parameters  $id  STRING  of the job
// Returns     n  INTEGER  tasks that are cancelled
// Index       ingest_job_id, ingest_task_turn (schema/migrations/0005_jobs.cypher)
// Try it      :param {id: 'j1'}
CYPHER 25
MATCH (job:IngestJob {id: $id})
WHERE job.state IN ['queued', 'running', 'paused']
SET job.state = 'cancelled', job.finishedAt = datetime()
WITH job
OPTIONAL MATCH (task:IngestTask)
WHERE task.jobId = $id AND task.state IN ['queued', 'running']
SET task.state = 'cancelled', task.owner = null, task.leaseUntil = null
RETURN count(task) AS n
