// Renew the leases of a process and note how far each of its tasks is.
//
// Parameters  $owner    STRING     name of the process
//             $lease_s  INTEGER    length of the lease
//             $rows     LIST<MAP>  {id, stage}: of each task that it holds
// Returns     id  STRING  of each task that it still holds
// Index       ingest_task_id (schema/migrations/0005_jobs.cypher)
// Try it      :param {owner: 'me', lease_s: 30, rows: [{id: 'k1', stage: 'embed'}]}
CYPHER 25
UNWIND $rows AS row
MATCH (task:IngestTask {id: row.id})
WHERE task.owner = $owner AND task.state = 'running'
SET task.stage = row.stage, task.leaseUntil = datetime() + duration({seconds: $lease_s})
RETURN task.id AS id
ORDER BY id
