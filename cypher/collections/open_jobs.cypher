// Jobs of a collection that are not finished.
//
// Parameters  $collection  STRING  for example 'main'
// Returns     id  STRING
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (job:IngestJob {collection: $collection})
WHERE job.state IN ['queued', 'running', 'paused']
RETURN job.id AS id
ORDER BY id
