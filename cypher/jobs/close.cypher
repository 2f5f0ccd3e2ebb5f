// Close a job if nothing of it is left to do.
//
// Parameters  $id  STRING  of the job
// Returns     state  STRING  of the job
// Revises     nothing
// Index       ingest_job_id, ingest_task_turn (schema/model.py)
// Try it      :param {id: 'j1'}
CYPHER 25
MATCH (job:IngestJob {id: $id})
SET job.id = job.id  // takes the node's write lock before anything is read from it
WITH job
LET open = EXISTS { MATCH (task:IngestTask {jobId: $id}) WHERE task.state IN ['queued', 'stored', 'running'] }
LET finished = job.state IN ['queued', 'running'] AND NOT open
SET job.state = CASE WHEN finished THEN 'done' ELSE job.state END,
    job.finishedAt = CASE WHEN finished THEN datetime() ELSE job.finishedAt END
RETURN job.state AS state
