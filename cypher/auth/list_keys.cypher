// Keys, revoked and expired ones too, the oldest first.
//
// Parameters  $creator  STRING   only keys made with this one, or with keys made with it; null for all
//             $limit    INTEGER  most keys
// Returns     key  MAP  its properties
// Try it      :param {creator: null, limit: 100}
CYPHER 25
MATCH (key:ApiKey)
WHERE $creator IS NULL OR $creator IN key.creators
RETURN key { .* } AS key
ORDER BY key.createdAt, key.id LIMIT $limit
