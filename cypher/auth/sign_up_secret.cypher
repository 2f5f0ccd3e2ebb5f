// What challenges are signed with, made when it is first asked for.
//
// Parameters  $secret  STRING  random bits, in case that there is none yet
// Returns     secret  STRING
// Revises     nothing
// Index       sign_up_secret_id (schema/model.py)
// Try it      :param {secret: 'f1'}
CYPHER 25
MERGE (kept:SignUpSecret {id: 'open'})
  ON CREATE SET kept.secret = $secret
RETURN kept.secret AS secret
