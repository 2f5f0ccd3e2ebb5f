// Delete a job's tasks, some at a time.
//
// Parameters  $id  STRING  of the job
// Returns     nothing
// Revises     nothing
// Index       ingest_task_turn (schema/model.py)
// Try it      :param {id: 'j1'}
CYPHER 25
MATCH (task:IngestTask)
WHERE task.jobId = $id
CALL (task) { DETACH DELETE task } IN TRANSACTIONS OF 5000 ROWS
