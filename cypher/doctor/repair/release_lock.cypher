// Give back the lock on the schema that a process held whose lease is over.
//
// Parameters  $ids  LIST<STRING>  'lock', the id of that node
// Returns     n_repaired  INTEGER
// Action      given back
// Try it      :param {ids: ['lock']}
CYPHER 25
UNWIND $ids AS id
MATCH (lock:SchemaVersion {id: id})
WHERE lock.leaseUntil < datetime()
DELETE lock
RETURN count(*) AS n_repaired
