// Revoke an invitation; one that is revoked stays as it is.
//
// Parameters  $id   STRING    for example 'i1'
//             $now  DATETIME  when it is revoked
// Returns     invitation  MAP  its properties
// Revises     nothing
// Index       invitation_id (schema/model.py)
// Try it      :param now => datetime()
//             :param {id: 'i1'}
CYPHER 25
MATCH (invitation:Invitation {id: $id})
SET invitation.revokedAt = coalesce(invitation.revokedAt, $now)
RETURN invitation { .* } AS invitation
