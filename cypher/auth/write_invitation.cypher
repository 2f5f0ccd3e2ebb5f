// Write a new invitation; written a second time, it stays as it is.
//
// Parameters  $id          STRING  the part of the invitation that is no secret
//             $properties  MAP     sha256, name, scopes, collections, maxUses, nUses, createdAt, expiresAt, creators, limits and keyTermS; those that are null are left out
// Returns     written  BOOLEAN  whether the invitation with this id is this one
// Revises     nothing
// Index       invitation_id (schema/model.py)
// Try it      :param {id: 'i1', properties: {sha256: 'e3b0', name: 'the group', scopes: ['read'], maxUses: 1, nUses: 0}}
CYPHER 25
MERGE (invitation:Invitation {id: $id})
  ON CREATE SET invitation += $properties
RETURN invitation.sha256 = $properties.sha256 AS written
