// Invitations that cannot be checked: without a checksum, a name, a time or an end, with scopes that nobody is invited to, or used too often.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph keys revoke-invitation it, and make another with papergraph keys invite
// Order       381
// Try it      :param {limit: 10}
CYPHER 25
MATCH (invitation:Invitation)
WITH invitation, CASE
    WHEN NOT coalesce(invitation.sha256 =~ '[0-9a-f]{64}', false) THEN 'has no checksum of its secret'
    WHEN invitation.name IS NULL OR invitation.createdAt IS NULL OR invitation.expiresAt IS NULL
      THEN 'has no name, or no time when it was made or ends'
    WHEN coalesce(invitation.scopes, []) = [] THEN 'has no scope'
    WHEN any(scope IN invitation.scopes WHERE NOT scope IN ['read', 'ask', 'ingest', 'cypher'])
      THEN 'has a scope that nobody is invited to'
    WHEN coalesce(invitation.nUses > invitation.maxUses, true) THEN 'was used more often than it may'
  END AS problem
WHERE problem IS NOT NULL
RETURN coalesce(invitation.id, elementId(invitation)) AS id, null AS paper_id, 'invitation that ' + problem AS problem
ORDER BY id LIMIT $limit
