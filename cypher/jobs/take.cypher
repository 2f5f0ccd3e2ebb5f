// Lock a job until the transaction ends, so that one process at a time claims its tasks, and begin it.
//
// Parameters  $id  STRING  of the job
// Returns     state  STRING  running, unless it is paused, done or cancelled
// Revises     nothing
// Index       ingest_job_id (schema/model.py)
// Try it      :param {id: 'j1'}
CYPHER 25
MATCH (job:IngestJob {id: $id})
SET job.id = job.id  // takes the node's write lock before anything is read from it
WITH job
SET job.state = CASE WHEN job.state = 'queued' THEN 'running' ELSE job.state END
RETURN job.state AS state
