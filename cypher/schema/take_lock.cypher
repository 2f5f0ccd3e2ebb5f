// Take the lock on the schema, or learn that another process holds it; a lease of one minute by the database's clock.
//
// Parameters  $owner  STRING  a random name of the process
// Returns     mine  BOOLEAN  whether $owner holds the lock now
// Revises     nothing
// Try it      :param {owner: 'me'}
CYPHER 25
MERGE (lock:SchemaVersion {id: 'lock'})
SET lock.touched = $owner  // takes the node's write lock before it is read
WITH lock, lock.owner IS NULL OR lock.owner = $owner OR lock.leaseUntil < datetime() AS free
SET lock.owner = CASE WHEN free THEN $owner ELSE lock.owner END,
    lock.leaseUntil = CASE WHEN free THEN datetime() + duration('PT1M') ELSE lock.leaseUntil END
RETURN lock.owner = $owner AS mine
