// Those of some keys that are revoked, expired or deleted.
//
// Parameters  $ids  LIST<STRING>  ids of keys
//             $now  DATETIME      the time that it is
// Returns     id  STRING
// Index       api_key_id (schema/model.py)
// Try it      :param now => datetime()
//             :param {ids: ['f1']}
CYPHER 25
UNWIND $ids AS id
OPTIONAL MATCH (key:ApiKey {id: id})
WITH id, key
WHERE key IS NULL OR key.revokedAt IS NOT NULL OR key.expiresAt <= $now
RETURN id
