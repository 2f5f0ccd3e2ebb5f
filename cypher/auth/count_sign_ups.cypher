// How often people signed up without an invitation in the last day, and how many of their keys are valid.
//
// Parameters  $id       STRING    id of a challenge
//             $network  STRING    keyed hash of a network
//             $now      DATETIME  the time that it is
// Returns     is_used  BOOLEAN  whether the challenge was used
//             n_of_network, n_of_all, n_keys  INTEGER
// Index       sign_up_id (schema/model.py)
// Try it      :param now => datetime()
//             :param {id: 'c1', network: 'f1'}
CYPHER 25
RETURN
  EXISTS { (:SignUp {id: $id}) } AS is_used,
  COUNT { MATCH (one:SignUp {network: $network}) WHERE one.expiresAt > $now } AS n_of_network,
  COUNT { MATCH (one:SignUp) WHERE one.expiresAt > $now } AS n_of_all,
  COUNT {
    MATCH (key:ApiKey {signedUpBy: 'open'})
    WHERE key.revokedAt IS NULL AND key.expiresAt > $now
  } AS n_keys
