// Hold an invitation until the end of the transaction, so that its uses are counted one after the other.
//
// Parameters  $id  STRING  for example 'i1'
// Returns     invitation  MAP  its properties
// Revises     nothing
// Index       invitation_id (schema/model.py)
// Try it      :param {id: 'i1'}
CYPHER 25
MATCH (invitation:Invitation {id: $id})
SET invitation.sha256 = invitation.sha256  // takes the node's write lock; what changes is read only then
WITH invitation
RETURN invitation { .* } AS invitation
