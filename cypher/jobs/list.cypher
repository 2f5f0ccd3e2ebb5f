// Jobs, the newest first, with the number of their tasks in each state.
//
// Parameters  $start        STRING        beginning of a job's id, or '' for all
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       most jobs
//             $collections  LIST<STRING>  only those of these collections, or null for all
// Returns     job  MAP  its properties
//             states  LIST<MAP>  {state, n} for each state that tasks are in
//             stages  LIST<MAP>  {stage, n} for each stage that running tasks are at
//             n_embedded  INTEGER  chunks of tasks that are done, and those that running tasks have embedded
//             n_warned  INTEGER  tasks with a warning
//             waits  BOOLEAN  whether it has had something to do for 15 s while no worker works on any job
// Index       ingest_task_turn (schema/model.py)
// Try it      :param {start: '', after: [], limit: 20, collections: null}
CYPHER 25
LET is_worked = EXISTS {
  MATCH (open:IngestJob) WHERE open.state = 'running'
  MATCH (task:IngestTask) WHERE task.jobId = open.id AND task.state = 'running' AND task.leaseUntil > datetime()
}
MATCH (job:IngestJob)
WHERE job.id STARTS WITH $start AND ($collections IS NULL OR job.collection IN $collections)
WITH job, is_worked, [-job.createdAt.epochMillis, job.id] AS place
WHERE place > $after
ORDER BY place LIMIT $limit
RETURN job { .* } AS job, COLLECT {
  MATCH (task:IngestTask) WHERE task.jobId = job.id
  WITH task.state AS state, count(*) AS n
  RETURN { state: state, n: n } ORDER BY state
} AS states, COLLECT {
  MATCH (task:IngestTask) WHERE task.jobId = job.id AND task.state = 'running'
  WITH task.stage AS stage, count(*) AS n
  RETURN { stage: stage, n: n } ORDER BY stage
} AS stages, reduce(n = 0, one IN COLLECT {
  MATCH (task:IngestTask) WHERE task.jobId = job.id AND task.state IN ['running', 'done']
  RETURN sum(CASE task.state WHEN 'done' THEN task.nChunks ELSE properties(task).nEmbedded END)
} | n + one) AS n_embedded, COUNT {
  MATCH (task:IngestTask) WHERE task.jobId = job.id AND properties(task).warning IS NOT NULL
} AS n_warned, NOT is_worked AND job.state IN ['queued', 'running']
  AND job.createdAt < datetime() - duration({seconds: 15}) AND EXISTS {
    MATCH (task:IngestTask) WHERE task.jobId = job.id AND task.state IN ['queued', 'stored']
      AND coalesce(properties(task).nextTryAt, job.createdAt) < datetime() - duration({seconds: 15})
  } AS waits
ORDER BY place
