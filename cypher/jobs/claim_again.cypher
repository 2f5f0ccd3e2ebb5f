// Claim tasks of a job that were tried before: their time has come, their lease has ended, or their owner is gone.
//
// Those tried once are taken by 16, then by 4, then alone, because a document that ends the process that works on it must
// not take others with it. Those for which the machine was too busy come last and alone. What was tried too often is
// put into quarantine instead.
//
// Parameters  $job_id        STRING        id of the job
//             $owner         STRING        name of the process
//             $gone          LIST<STRING>  owners that are known to have ended
//             $lease_s       INTEGER       length of the lease
//             $max_attempts  INTEGER       how often a task is tried at most
// Returns     id, source, content_hash, state  STRING
//             ordinal, attempts  INTEGER
//             is_stored  BOOLEAN  whether its paper is stored, without vectors
// Revises     nothing
// Index       ingest_task_turn (schema/model.py)
// Try it      :param {job_id: 'j1', owner: 'me', gone: [], lease_s: 30, max_attempts: 5}
CYPHER 25
MATCH (task:IngestTask)
WHERE task.jobId = $job_id AND task.state IN ['queued', 'stored', 'running']
  AND CASE task.state
        WHEN 'queued' THEN coalesce(task.nextTryAt <= datetime(), true)
        WHEN 'stored' THEN task.attempts > 0
        ELSE task.leaseUntil < datetime() OR task.owner IN $gone
      END
WITH task, coalesce(task.reason, '') = 'BUSY' AS waited ORDER BY waited, task.attempts, task.ordinal LIMIT 16
WITH collect(task) AS tasks, collect(waited)[0] AS alone
LET tried = tasks[0].attempts
UNWIND [task IN tasks WHERE task.attempts = tried][
  ..CASE WHEN alone THEN 1 WHEN tried = 1 THEN 16 WHEN tried = 2 THEN 4 ELSE 1 END] AS task
LET spent = task.attempts >= $max_attempts
SET task.state = CASE WHEN spent THEN 'quarantined' ELSE 'running' END,
    task.reason = CASE WHEN spent THEN coalesce(task.reason, 'LOST') ELSE task.reason END,
    task.detail = CASE WHEN spent THEN coalesce(CASE WHEN task.reason IS NULL THEN null ELSE task.detail END,
                         'the process that worked on it ended, time and again')
                       ELSE task.detail END,
    task.owner = CASE WHEN spent THEN null ELSE $owner END,
    task.attempts = CASE WHEN spent THEN task.attempts ELSE task.attempts + 1 END,
    task.changedAt = datetime(), task.nEmbedded = null, task.secondsLeft = null,
    task.leaseUntil = CASE WHEN spent THEN null ELSE datetime() + duration({seconds: $lease_s}) END
RETURN task.id AS id, task.source AS source, task.contentHash AS content_hash, task.state AS state,
       task.ordinal AS ordinal, task.attempts AS attempts, task.outcome IS NOT NULL AS is_stored
ORDER BY ordinal
