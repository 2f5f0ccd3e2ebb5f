// Valid keys that reach a collection by name or by a role, without keys that were made with another key, by name.
//
// Parameters  $collection  STRING    name of the collection
//             $now         DATETIME  the current time
//             $limit       INTEGER   most keys
// Returns     key  MAP  its properties
// Try it      :param now => datetime()
//             :param {collection: 'reading', limit: 100}
CYPHER 25
MATCH (key:ApiKey)
WHERE key.revokedAt IS NULL AND (key.expiresAt IS NULL OR key.expiresAt > $now)
  AND (key.signedUpBy IS NOT NULL OR size(coalesce(key.creators, [])) = 0)
  AND ($collection IN key.collections OR any(one IN key.roles WHERE one STARTS WITH $collection + '='))
RETURN key { .* } AS key
ORDER BY key.name, key.id LIMIT $limit
