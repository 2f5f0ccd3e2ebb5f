// Whether any key is valid.
//
// Parameters  $now  DATETIME  the time that it is
// Returns     found  BOOLEAN
// Try it      :param now => datetime()
CYPHER 25
RETURN EXISTS {
  MATCH (key:ApiKey)
  WHERE key.revokedAt IS NULL AND (key.expiresAt IS NULL OR key.expiresAt > $now)
} AS found
