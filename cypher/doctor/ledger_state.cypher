// Jobs and tasks of the ledger in a state that does not exist, and finished jobs with something left to do.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      pause_jobs
// Order       370
// Try it      :param {limit: 10}
CYPHER 25
CALL () {
  MATCH (job:IngestJob)
  WHERE NOT coalesce(job.state IN ['queued', 'running', 'paused', 'done', 'cancelled'], false)
  RETURN job.id AS id, 'a job that is ' + coalesce(job.state, 'in no state') AS problem
  UNION
  MATCH (task:IngestTask)
  WHERE NOT coalesce(task.state IN ['queued', 'stored', 'running', 'done', 'failed', 'quarantined', 'cancelled'], false)
  RETURN task.id AS id, 'a task that is ' + coalesce(task.state, 'in no state') AS problem
  UNION
  MATCH (job:IngestJob)
  WHERE job.state IN ['done', 'cancelled']
  LET n = COUNT { MATCH (job)-[:HAS_TASK]->(task:IngestTask) WHERE task.state IN ['queued', 'stored', 'running'] }
  WITH job, n WHERE n > 0
  RETURN job.id AS id, 'a job that is ' + job.state + ' with ' + toString(n) + ' tasks to do' AS problem
}
RETURN id, null AS paper_id, problem
ORDER BY id LIMIT $limit
