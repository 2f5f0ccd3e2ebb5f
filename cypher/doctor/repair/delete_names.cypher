// Delete names that no chunk uses and no paper has as its title.
//
// Parameters  $ids  LIST<STRING>  ids of names
// Returns     n_repaired  INTEGER
// Action      deleted
// Try it      :param {ids: ['n1']}
CYPHER 25
UNWIND $ids AS id
MATCH (name:Name {id: id})
WHERE NOT EXISTS { (name)<-[:NAMES|REFERS_TO|TITLED]-() }
DETACH DELETE name
RETURN count(*) AS n_repaired
