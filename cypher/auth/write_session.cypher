// Write a session; expired ones, and the oldest of its key beyond a number, are deleted.
//
// Parameters  $id          STRING    the part of the session that is no secret
//             $properties  MAP       sha256, keyId, createdAt, expiresAt
//             $now         DATETIME  the time that it is
//             $most        INTEGER   sessions of a key that are kept
// Returns     nothing
// Revises     nothing
// Index       session_id (schema/model.py)
// Try it      :param now => datetime()
//             :param {id: 's1', properties: {sha256: 'e3b0', keyId: 'f1'}, most: 20}
CYPHER 25
MERGE (session:Session {id: $id})
  ON CREATE SET session += $properties
WITH session
CALL (session) {
  MATCH (old:Session {keyId: session.keyId})
  WHERE old.expiresAt > $now
  WITH old ORDER BY old.createdAt DESC, old.id SKIP $most
  RETURN collect(old) AS surplus
}
CALL () {
  MATCH (old:Session)
  WHERE old.expiresAt <= $now
  RETURN collect(old) AS expired
}
FOREACH (old IN surplus | DETACH DELETE old)
FOREACH (old IN expired | DETACH DELETE old)
