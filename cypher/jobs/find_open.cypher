// The job that the same call opened before and that is not finished.
//
// Parameters  $request  STRING  sha-256 hex over what is asked for
// Returns     id  STRING  the oldest one, if there are several
// Try it      :param {request: 'e3b0c44298fc1c14'}
CYPHER 25
MATCH (job:IngestJob {request: $request})
WHERE job.state IN ['queued', 'running', 'paused']
RETURN job.id AS id
ORDER BY job.createdAt, id LIMIT 1
