// Tasks of a job that changed after a point in time and are not known yet, in the order of their changes.
//
// Parameters  $job_id  STRING        id of the job
//             $since   DATETIME      changes after it
//             $known   MAP           time of the change that is known, by the id of a task
//             $states  LIST<STRING>  only those in one of these states
//             $limit   INTEGER       most tasks
// Returns     now  DATETIME  the time of the database
//             tasks  LIST<MAP>  properties of the tasks, by the time of their change, then id
// Index       ingest_task_turn (schema/model.py)
// Try it      :param {job_id: 'j1', since: datetime('2026-01-01'), known: {}, states: ['running', 'done'], limit: 100}
CYPHER 25
RETURN datetime() AS now, COLLECT {
  MATCH (task:IngestTask)
  WHERE task.jobId = $job_id AND task.state IN $states
  WITH task, properties(task).changedAt AS changed_at
  WHERE changed_at > $since AND coalesce($known[task.id] <> changed_at, true)
  RETURN task { .* } AS changed
  ORDER BY changed_at, task.id LIMIT $limit
} AS tasks
