// Write a sign-up without an invitation; earlier ones that count no longer are deleted, and their keys after they expired.
//
// Parameters  $id          STRING    id of the challenge
//             $network     STRING    keyed hash of the network
//             $now         DATETIME  the time that it is
//             $expires_at  DATETIME  when it counts no longer
// Returns     nothing
// Revises     nothing
// Index       sign_up_id (schema/model.py)
// Try it      :param now => datetime()
//             :param expires_at => datetime()
//             :param {id: 'c1', network: 'f1'}
CYPHER 25
CALL () {
  MATCH (old:SignUp)
  WHERE old.expiresAt <= $now
  DETACH DELETE old
}
CALL () {
  MATCH (key:ApiKey {signedUpBy: 'open'})
  WHERE key.expiresAt <= $now
  DETACH DELETE key
}
MERGE (one:SignUp {id: $id})
  ON CREATE SET one.network = $network, one.expiresAt = $expires_at
