// Tasks of a job in order.
//
// Parameters  $job_id  STRING        id of the job
//             $states  LIST<STRING>  only those in one of these states
//             $after   INTEGER       only those behind this place, or
//             $id      STRING        at this place and behind this id
//             $limit   INTEGER       most tasks
// Returns     task  MAP  its properties
// Index       ingest_task_turn (schema/migrations/0005_jobs.cypher)
// Try it      :param job_id => head(COLLECT { MATCH (job:IngestJob) RETURN job.id })
//             :param {states: ['queued', 'running', 'done'], after: -1, id: '', limit: 20}
CYPHER 25
MATCH (task:IngestTask)
WHERE task.jobId = $job_id AND task.state IN $states
  AND (task.ordinal > $after OR task.ordinal = $after AND task.id > $id)
RETURN task { .* } AS task
ORDER BY task.ordinal, task.id LIMIT $limit
