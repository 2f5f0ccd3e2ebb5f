// The processes that hold tasks of a job.
//
// Parameters  $job_id  STRING  id of the job
// Returns     owner  STRING
// Index       ingest_task_turn (schema/model.py)
// Try it      :param {job_id: 'j1'}
CYPHER 25
MATCH (task:IngestTask)
WHERE task.jobId = $job_id AND task.state = 'running'
RETURN DISTINCT task.owner AS owner
ORDER BY owner
