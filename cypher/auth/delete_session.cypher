// Delete a session.
//
// Parameters  $id  STRING  the part of the session that is no secret
// Returns     nothing
// Revises     nothing
// Index       session_id (schema/model.py)
// Try it      :param {id: 's1'}
CYPHER 25
MATCH (session:Session {id: $id})
DETACH DELETE session
