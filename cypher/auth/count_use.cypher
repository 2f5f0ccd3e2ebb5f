// Count a use of an invitation, which the transaction holds.
//
// Parameters  $id  STRING  for example 'i1'
// Returns     nothing
// Revises     nothing
// Index       invitation_id (schema/model.py)
// Try it      :param {id: 'i1'}
CYPHER 25
MATCH (invitation:Invitation {id: $id})
SET invitation.nUses = invitation.nUses + 1
