// Queue what of a job was refused, put into quarantine or cancelled, and go on with the job.
//
// Parameters  $id  STRING  of the job
// Returns     n  INTEGER  tasks that are queued
// Revises     nothing
// Index       ingest_job_id, ingest_task_turn (schema/model.py)
// Try it      :param {id: 'j1'}
CYPHER 25
MATCH (job:IngestJob {id: $id})
SET job.id = job.id  // takes the node's write lock before anything is read from it
WITH job
CALL (job) {
  MATCH (task:IngestTask)
  WHERE task.jobId = $id AND task.state IN ['failed', 'quarantined', 'cancelled']
  SET task.state = CASE WHEN task.outcome IS NULL THEN 'queued' ELSE 'stored' END, task.owner = null,
      task.attempts = 0, task.reason = null, task.detail = null, task.nextTryAt = null, task.changedAt = datetime()
  RETURN count(task) AS n_again
}
LET open = EXISTS { MATCH (task:IngestTask {jobId: $id}) WHERE task.state IN ['queued', 'stored', 'running'] }
SET job.state = CASE WHEN open AND job.state <> 'running' THEN 'queued' ELSE job.state END,
    job.finishedAt = CASE WHEN open THEN null ELSE job.finishedAt END, job.detail = null
RETURN COUNT { MATCH (task:IngestTask) WHERE task.jobId = $id AND task.state IN ['queued', 'stored'] } AS n
