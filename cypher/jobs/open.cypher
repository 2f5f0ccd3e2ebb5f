// Open a job, paused until all of its tasks are written; one that is there stays as it is.
//
// Parameters  $id          STRING  of the job
//             $properties  MAP     collection, specs, request, account, settings and configHash
// Returns     job  MAP  its properties
// Revises     nothing
// Index       ingest_job_id (schema/model.py)
// Try it      :param {id: 'j1', properties: {collection: 'main', specs: ['/papers'], request: 'e3b0', account: '', settings: '{}'}}
CYPHER 25
MERGE (job:IngestJob {id: $id})
  ON CREATE SET job += $properties, job.createdAt = datetime(), job.state = 'paused',
    job.detail = 'its tasks are being written'
RETURN job { .* } AS job
