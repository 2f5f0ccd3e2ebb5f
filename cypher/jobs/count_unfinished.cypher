// How many unfinished jobs an account has, one aside.
//
// Parameters  $account  STRING  first key of a chain of keys, or an address
//             $id       STRING  the job that is not counted
// Returns     n  INTEGER
// Try it      :param {account: 'f1a2b3c4', id: 'j1'}
CYPHER 25
MATCH (job:IngestJob)
WHERE job.account = $account AND job.id <> $id AND job.state IN ['queued', 'running', 'paused']
RETURN count(job) AS n
