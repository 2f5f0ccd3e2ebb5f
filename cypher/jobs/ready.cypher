// Let a job be worked off, now that all of its tasks are written; one without tasks is done.
//
// Parameters  $id           STRING   of the job
//             $n_documents  INTEGER  documents that were found
//             $n_unchanged  INTEGER  documents of which nothing is to be done
// Returns     nothing
// Revises     nothing
// Index       ingest_job_id, ingest_task_turn (schema/model.py)
// Try it      :param {id: 'j1', n_documents: 2, n_unchanged: 1}
CYPHER 25
MATCH (job:IngestJob {id: $id})
SET job.id = job.id  // takes the node's write lock before anything is read from it
WITH job
LET open = EXISTS { MATCH (task:IngestTask {jobId: $id}) WHERE task.state IN ['queued', 'stored', 'running'] }
SET job.nDocuments = $n_documents, job.nUnchanged = $n_unchanged, job.detail = null,
    job.state = CASE WHEN NOT open THEN 'done' WHEN job.state = 'running' THEN 'running' ELSE 'queued' END,
    job.finishedAt = CASE WHEN open THEN null ELSE datetime() END
