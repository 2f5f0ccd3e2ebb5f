// Set or remove the role of a key in a collection.
//
// Parameters  $id          STRING        for example 'f1'
//             $collection  STRING        name of the collection
//             $role        LIST<STRING>  the new role, such as ['reading=edit']; empty to remove it
// Returns     key  MAP  its properties
// Revises     nothing
// Index       api_key_id (schema/model.py)
// Try it      :param {id: 'f1', collection: 'reading', role: ['reading=edit']}
CYPHER 25
MATCH (key:ApiKey {id: $id})
SET key.roles = [one IN coalesce(key.roles, []) WHERE NOT one STARTS WITH $collection + '='] + $role
RETURN key { .* } AS key
