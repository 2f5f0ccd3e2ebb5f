// Hold a key until the end of the transaction, so that it is revoked before or after; tell whether it is valid.
//
// Parameters  $id  STRING  for example 'f1'
// Returns     key  MAP  its properties
// Revises     nothing
// Index       api_key_id (schema/model.py)
// Try it      :param {id: 'f1'}
CYPHER 25
MATCH (key:ApiKey {id: $id})
SET key.name = key.name  // takes the node's write lock
WITH key
RETURN key { .* } AS key
