// Tasks of the ledger whose lease ended more than an hour ago, and which nobody has taken over.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix, then papergraph worker
// Repair      release_tasks
// Order       360
// Try it      :param {limit: 10}
CYPHER 25
MATCH (task:IngestTask)
WHERE task.state = 'running' AND NOT coalesce(task.leaseUntil >= datetime() - duration('PT1H'), false)
RETURN task.id AS id, null AS paper_id,
       'the lease on ' + coalesce(task.source, '?') + ' ended at ' + coalesce(toString(task.leaseUntil), '?') AS problem
ORDER BY id LIMIT $limit
