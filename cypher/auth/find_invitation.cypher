// An invitation by the part of it that is no secret.
//
// Parameters  $id  STRING  for example 'i1'
// Returns     invitation  MAP  its properties
// Index       invitation_id (schema/model.py)
// Try it      :param {id: 'i1'}
CYPHER 25
MATCH (invitation:Invitation {id: $id})
RETURN invitation { .* } AS invitation
