// The lock on the schema, held by a process that ended without giving it back.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       schema_version_id (schema/model.py)
// Advice      papergraph doctor --fix
// Repair      release_lock
// Order       40
// Try it      :param {limit: 10}
CYPHER 25
MATCH (lock:SchemaVersion {id: 'lock'})
WHERE lock.leaseUntil < datetime()
RETURN lock.id AS id, null AS paper_id, 'its lease ended at ' + toString(lock.leaseUntil) AS problem
ORDER BY id LIMIT $limit
