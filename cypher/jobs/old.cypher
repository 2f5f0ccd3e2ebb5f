// Finished jobs, the newest first, with the number of their tasks: what is beyond what the ledger keeps is deleted.
//
// Parameters  $limit  INTEGER  most jobs
// Returns     id  STRING
//             n_tasks  INTEGER
// Try it      :param {limit: 10}
CYPHER 25
MATCH (job:IngestJob)
WHERE job.state IN ['done', 'cancelled']
RETURN job.id AS id, COUNT { (job)-[:HAS_TASK]->() } AS n_tasks
ORDER BY job.finishedAt DESC, id LIMIT $limit
