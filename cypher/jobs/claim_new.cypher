// Claim the first untried tasks of a job in one state, for as long as a lease lasts by the database's clock.
//
// Parameters  $job_id   STRING   id of the job
//             $owner    STRING   name of the process
//             $lease_s  INTEGER  length of the lease
//             $limit    INTEGER  most tasks
//             $stage    STRING   the stage that they begin at
//             $state    STRING   queued, or stored for papers whose vectors follow
// Returns     id, source, content_hash  STRING
//             ordinal, attempts  INTEGER
//             is_stored  BOOLEAN  whether its paper is stored, without vectors
// Revises     nothing
// Index       ingest_task_turn (schema/model.py)
// Try it      :param {job_id: 'j1', owner: 'me', lease_s: 30, limit: 64, stage: 'fetch', state: 'queued'}
CYPHER 25
MATCH (task:IngestTask)
WHERE task.jobId = $job_id AND task.state = $state AND task.attempts = 0
WITH task ORDER BY task.ordinal LIMIT $limit
SET task.state = 'running', task.stage = $stage, task.owner = $owner, task.attempts = 1,
    task.leaseUntil = datetime() + duration({seconds: $lease_s}), task.changedAt = datetime()
RETURN task.id AS id, task.source AS source, task.contentHash AS content_hash, task.ordinal AS ordinal,
       task.attempts AS attempts, task.outcome IS NOT NULL AS is_stored
ORDER BY ordinal
