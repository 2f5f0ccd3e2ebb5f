// Keys, revoked and expired ones too, the oldest first.
//
// Parameters  $limit  INTEGER  most keys
// Returns     key  MAP  its properties
// Try it      :param {limit: 100}
CYPHER 25
MATCH (key:ApiKey)
RETURN key { .* } AS key
ORDER BY key.createdAt, key.id LIMIT $limit
