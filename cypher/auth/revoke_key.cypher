// Revoke a key; one that is revoked stays as it is.
//
// Parameters  $id   STRING    for example 'f1'
//             $now  DATETIME  when it is revoked
// Returns     key  MAP  its properties
// Revises     nothing
// Index       api_key_id (schema/model.py)
// Try it      :param now => datetime()
//             :param {id: 'f1'}
CYPHER 25
MATCH (key:ApiKey {id: $id})
SET key.revokedAt = coalesce(key.revokedAt, $now)
RETURN key { .* } AS key
