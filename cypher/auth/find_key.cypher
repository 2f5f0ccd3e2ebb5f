// A key by the part of it that is no secret.
//
// Parameters  $id  STRING  for example 'f1'
// Returns     key  MAP  its properties, and the roles of its account
// Index       api_key_id (schema/model.py)
// Try it      :param {id: 'f1'}
CYPHER 25
MATCH (key:ApiKey {id: $id})
OPTIONAL MATCH (account:ApiKey {
  id: CASE WHEN key.signedUpBy IS NULL AND size(coalesce(key.creators, [])) > 0 THEN key.creators[0] ELSE key.id END
})
RETURN key { .*, roles: account.roles } AS key
