// Pause jobs, and those of tasks that are queued, whose state cannot be: nothing begins by itself.
//
// Parameters  $ids  LIST<STRING>  ids of jobs and tasks
// Returns     n_repaired  INTEGER  how many were changed
// Index       ingest_job_id, ingest_task_id (schema/model.py)
// Action      paused, and tasks queued
// Try it      :param {ids: ['j1', 'k1']}
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  MATCH (job:IngestJob {id: id})
  SET job.state = 'paused', job.finishedAt = null, job.detail = 'mended by the doctor'
  RETURN count(*) AS n
  UNION ALL
  MATCH (job:IngestJob)-[:HAS_TASK]->(task:IngestTask {id: id})
  SET task.state = 'queued', task.owner = null, task.leaseUntil = null,
      job.state = 'paused', job.finishedAt = null, job.detail = 'mended by the doctor'
  RETURN count(*) AS n
}
RETURN sum(n) AS n_repaired
