// How many jobs and tasks of the ledger are in each state.
//
// Parameters  none
// Returns     kind  STRING  'job' or 'task'
//             state  STRING
//             n  INTEGER
// Try it      paste as it is
CYPHER 25
CALL () {
  MATCH (job:IngestJob)
  RETURN 'job' AS kind, job.state AS state, count(*) AS n
  UNION ALL
  MATCH (task:IngestTask)
  RETURN 'task' AS kind, task.state AS state, count(*) AS n
}
RETURN kind, state, n
ORDER BY kind, state
