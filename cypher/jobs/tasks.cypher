// One page of tasks for each of several jobs, in order.
//
// Parameters  $job_ids  LIST<STRING>  ids of jobs
//             $states   LIST<STRING>  only those in one of these states
//             $after    LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit    INTEGER       tasks for each job, at least 1
//             $collections  LIST<STRING>  the collections that the principal reaches, or null for all
// Returns     job_id  STRING
//             task  MAP  its properties; by ordinal, then id
// Index       ingest_task_turn (schema/model.py)
// Try it      :param job_ids => COLLECT { MATCH (job:IngestJob) RETURN job.id LIMIT 3 }
//             :param {states: ['queued', 'running', 'done'], after: [], limit: 20, collections: null}
CYPHER 25
UNWIND $job_ids AS job_id
CALL (job_id) {
  MATCH (job:IngestJob {id: job_id})
  WHERE $collections IS NULL OR job.collection IN $collections
  MATCH (task:IngestTask)
  WHERE task.jobId = job_id AND task.state IN $states
  WITH task, [task.ordinal, task.id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN task
}
RETURN job_id, task { .* } AS task
ORDER BY job_id, task.ordinal, task.id
