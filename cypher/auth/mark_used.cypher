// Note when a key was used last.
//
// Parameters  $id   STRING    for example 'f1'
//             $now  DATETIME  when it was used
// Returns     nothing
// Revises     nothing
// Index       api_key_id (schema/model.py)
// Try it      :param now => datetime()
//             :param {id: 'f1'}
CYPHER 25
MATCH (key:ApiKey {id: $id})
WHERE key.lastUsedAt IS NULL OR key.lastUsedAt < $now
SET key.lastUsedAt = $now
