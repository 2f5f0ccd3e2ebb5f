// Write tasks of a job; one that a process works on, or ended with, stays as it is, so that its tries count, and so does
// one whose unchanged document is stored; any other begins anew.
//
// A job that was finished meanwhile is paused, so that it is not left finished with something to do if we end here.
//
// Parameters  $job_id  STRING     id of the job
//             $rows    LIST<MAP>  {id, properties}: a task's id and what it says of itself, state included
// Returns     nothing
// Revises     nothing
// Index       ingest_job_id, ingest_task_id (schema/model.py)
// Try it      :param {job_id: 'j1', rows: [{id: 'k1', properties: {source: '/papers/a.md', state: 'queued'}}]}
CYPHER 25
MATCH (job:IngestJob {id: $job_id})
SET job.id = job.id  // takes the node's write lock before anything is read from it
SET job.state = CASE WHEN job.state IN ['done', 'cancelled'] THEN 'paused' ELSE job.state END, job.finishedAt = null
WITH job
UNWIND $rows AS row
MERGE (task:IngestTask {id: row.id})
  ON CREATE SET task.jobId = $job_id
MERGE (job)-[:HAS_TASK]->(task)
WITH task, row
WHERE coalesce(task.state <> 'running', true)
  AND NOT coalesce(task.state = 'stored' AND task.contentHash = row.properties.contentHash
                   AND task.configHash = row.properties.configHash, false)
SET task += row.properties
