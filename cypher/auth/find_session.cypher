// A session with its key, by the part of the session that is no secret.
//
// Parameters  $id  STRING  for example 's1'
// Returns     session, key  MAP  their properties
// Index       session_id (schema/model.py)
//             api_key_id (schema/model.py)
// Try it      :param {id: 's1'}
CYPHER 25
MATCH (session:Session {id: $id})
MATCH (key:ApiKey {id: session.keyId})
RETURN session { .* } AS session, key { .* } AS key
