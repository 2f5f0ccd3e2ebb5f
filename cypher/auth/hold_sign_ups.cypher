// Hold sign-ups without an invitation until the end of the transaction, so that they are counted one after the other.
//
// Parameters  $secret  STRING  what challenges are signed with, in case that it is gone
// Returns     nothing
// Revises     nothing
// Index       sign_up_secret_id (schema/model.py)
// Try it      :param {secret: 'f1'}
CYPHER 25
MERGE (kept:SignUpSecret {id: 'open'})
  ON CREATE SET kept.secret = $secret
SET kept.secret = kept.secret  // takes the node's write lock
