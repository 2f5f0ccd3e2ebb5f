// A key by the part of it that is no secret.
//
// Parameters  $id  STRING  for example 'f1'
// Returns     key  MAP  its properties
// Index       api_key_id (schema/model.py)
// Try it      :param {id: 'f1'}
CYPHER 25
MATCH (key:ApiKey {id: $id})
RETURN key { .* } AS key
