// Keys of the server that cannot be checked: without a checksum, a name or a time, or with a scope that there is not.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph keys revoke it, and make another with papergraph keys create
// Order       380
// Try it      :param {limit: 10}
CYPHER 25
MATCH (key:ApiKey)
WITH key, CASE
    WHEN NOT coalesce(key.sha256 =~ '[0-9a-f]{64}', false) THEN 'has no checksum of its secret'
    WHEN key.name IS NULL OR key.createdAt IS NULL THEN 'has no name, or no time when it was made'
    WHEN coalesce(key.scopes, []) = [] THEN 'has no scope'
    WHEN any(scope IN key.scopes WHERE NOT scope IN ['read', 'ask', 'ingest', 'cypher', 'admin'])
      THEN 'has a scope that there is not'
    WHEN key.collections = [] THEN 'reaches no collection'
    WHEN any(role IN key.roles WHERE NOT split(role, '=')[1] IN ['read', 'annotate', 'edit', 'administer'])
      THEN 'has a role that there is not'
  END AS problem
WHERE problem IS NOT NULL
RETURN coalesce(key.id, elementId(key)) AS id, null AS paper_id, 'key that ' + problem AS problem
ORDER BY id LIMIT $limit
