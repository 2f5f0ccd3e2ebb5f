// Tasks of the ledger that no job has, or another one than they say.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      delete_tasks
// Order       350
// Try it      :param {limit: 10}
CYPHER 25
MATCH (task:IngestTask)
LET jobs = COLLECT { MATCH (job:IngestJob)-[:HAS_TASK]->(task) RETURN job.id ORDER BY job.id }
WITH task, jobs WHERE jobs <> [task.jobId]
RETURN coalesce(task.id, elementId(task)) AS id, null AS paper_id,
       CASE WHEN jobs = [] THEN 'no job has it' ELSE 'it says job ' + task.jobId + ', but is of ' + jobs[0] END AS problem
ORDER BY id LIMIT $limit
