// How many valid keys were made with a key, and with keys made with it.
//
// Parameters  $id   STRING    for example 'f1'
//             $now  DATETIME  the time that it is
// Returns     n  INTEGER
// Try it      :param now => datetime()
//             :param {id: 'f1'}
CYPHER 25
MATCH (key:ApiKey)
WHERE $id IN key.creators AND key.revokedAt IS NULL AND (key.expiresAt IS NULL OR key.expiresAt > $now)
RETURN count(key) AS n
