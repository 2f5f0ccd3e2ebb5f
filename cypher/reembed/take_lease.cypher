// Take the right to change models, or learn that another process has it; a lease of seconds by the database's clock.
//
// Parameters  $owner   STRING   a random name of the process
//             $lease_s INTEGER  for how many seconds
// Returns     mine  BOOLEAN  whether $owner has it now
// Revises     nothing
// Try it      :param {owner: 'me', lease_s: 5}
CYPHER 25
MERGE (lock:SchemaVersion {id: 'reembed'})
SET lock.touched = $owner  // takes the node's write lock before it is read
WITH lock, lock.owner IS NULL OR lock.owner = $owner OR lock.leaseUntil < datetime() AS free
SET lock.owner = CASE WHEN free THEN $owner ELSE lock.owner END,
    lock.leaseUntil = CASE WHEN free THEN datetime() + duration({seconds: $lease_s}) ELSE lock.leaseUntil END
RETURN lock.owner = $owner AS mine
