// Invitations, those that are no longer valid too, the oldest first.
//
// Parameters  $limit  INTEGER  most invitations
// Returns     invitation  MAP  its properties
// Try it      :param {limit: 100}
CYPHER 25
MATCH (invitation:Invitation)
RETURN invitation { .* } AS invitation
ORDER BY invitation.createdAt, invitation.id LIMIT $limit
