// The oldest job that has something to do now.
//
// Parameters  $skipped  LIST<STRING>  ids of jobs that were looked at already
// Returns     id  STRING
// Index       ingest_task_turn (schema/model.py)
// Try it      :param {skipped: []}
CYPHER 25
MATCH (job:IngestJob)
WHERE job.state IN ['queued', 'running'] AND NOT job.id IN $skipped
RETURN job.id AS id
ORDER BY job.createdAt, id LIMIT 1
