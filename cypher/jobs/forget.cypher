// Delete a job once its tasks are deleted.
//
// Parameters  $id  STRING  of the job
// Returns     nothing
// Revises     nothing
// Index       ingest_job_id (schema/model.py)
// Try it      :param {id: 'j1'}
CYPHER 25
MATCH (job:IngestJob {id: $id})
DETACH DELETE job
