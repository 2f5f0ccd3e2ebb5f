// Delete tasks of the ledger.
//
// Parameters  $ids  LIST<STRING>  ids of tasks
// Returns     n_repaired  INTEGER  how many were deleted
// Index       ingest_task_id (schema/model.py)
// Action      deleted
// Try it      :param {ids: ['k1']}
CYPHER 25
UNWIND $ids AS id
MATCH (task:IngestTask {id: id})
DETACH DELETE task
RETURN count(*) AS n_repaired
