// Write a new key; written a second time, it stays as it is.
//
// Parameters  $id          STRING  the part of the key that is no secret
//             $properties  MAP     sha256, name, scopes, collections, createdAt, expiresAt; those that are null are left out
// Returns     written  BOOLEAN  whether the key with this id is this one
// Revises     nothing
// Index       api_key_id (schema/model.py)
// Try it      :param {id: 'f1', properties: {sha256: 'e3b0', name: 'the website', scopes: ['read']}}
CYPHER 25
MERGE (key:ApiKey {id: $id})
  ON CREATE SET key += $properties
RETURN key.sha256 = $properties.sha256 AS written
