// A session with its key, by the part of the session that is no secret.
//
// Parameters  $id  STRING  for example 's1'
// Returns     session, key  MAP  their properties; roles of the key are those of its account
// Index       session_id (schema/model.py)
//             api_key_id (schema/model.py)
// Try it      :param {id: 's1'}
CYPHER 25
MATCH (session:Session {id: $id})
MATCH (key:ApiKey {id: session.keyId})
OPTIONAL MATCH (account:ApiKey {
  id: CASE WHEN key.signedUpBy IS NULL AND size(coalesce(key.creators, [])) > 0 THEN key.creators[0] ELSE key.id END
})
RETURN session { .* } AS session, key { .*, roles: account.roles } AS key
