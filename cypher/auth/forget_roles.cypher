// Remove all roles in a collection that is deleted.
//
// Parameters  $collection  STRING  its name
// Returns     nothing
// Revises     nothing
// Try it      :param {collection: 'reading'}
CYPHER 25
MATCH (key:ApiKey)
WHERE any(one IN key.roles WHERE one STARTS WITH $collection + '=')
SET key.roles = [one IN key.roles WHERE NOT one STARTS WITH $collection + '=']
