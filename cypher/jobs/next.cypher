// The oldest job that has something to do now, of each account.
//
// Parameters  $skipped  LIST<STRING>  ids of jobs that were looked at already
//             $busy     LIST<STRING>  accounts that are left out
// Returns     account, id  STRING  the account with the oldest job first
// Try it      :param {skipped: [], busy: []}
CYPHER 25
MATCH (job:IngestJob)
WHERE job.state IN ['queued', 'running'] AND NOT job.id IN $skipped AND NOT job.account IN $busy
WITH job ORDER BY job.createdAt, job.id
WITH job.account AS account, collect(job)[0] AS oldest
RETURN account, oldest.id AS id
ORDER BY oldest.createdAt, id
