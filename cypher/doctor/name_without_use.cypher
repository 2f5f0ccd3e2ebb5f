// Names that no chunk uses and no paper has as its title.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      delete_names
// Order       310
// Try it      :param {limit: 10}
CYPHER 25
MATCH (name:Name)
WHERE NOT EXISTS { (name)<-[:NAMES|REFERS_TO|TITLED]-() }
RETURN name.id AS id, null AS paper_id, coalesce(name.key, 'a name') + ' is used nowhere' AS problem
ORDER BY id LIMIT $limit
