// How many tasks of a job are open that come before one.
//
// Parameters  $job_id   STRING   id of the job
//             $ordinal  INTEGER  place of that task
// Returns     n  INTEGER
// Index       ingest_task_turn (schema/model.py)
// Try it      :param {job_id: 'j1', ordinal: 10}
CYPHER 25
MATCH (task:IngestTask)
WHERE task.jobId = $job_id AND task.state IN ['queued', 'running'] AND task.ordinal < $ordinal
RETURN count(*) AS n
