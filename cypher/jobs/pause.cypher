// Leave a job as it is until somebody goes on with it.
//
// Parameters  $id      STRING  of the job
//             $detail  STRING  why
// Returns     nothing
// Revises     nothing
// Index       ingest_job_id (schema/model.py)
// Try it      :param {id: 'j1', detail: 'interrupted'}
CYPHER 25
MATCH (job:IngestJob {id: $id})
WHERE job.state IN ['queued', 'running']
SET job.state = 'paused', job.detail = $detail
