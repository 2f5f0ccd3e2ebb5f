// Delete prototypes; what they stood for stays.
//
// Parameters  $ids  LIST<STRING>  ids of prototypes
// Returns     nothing
// Index       prototype_id (schema/migrations/0007_layers.cypher)
// Try it      :param {ids: ['o1']}
CYPHER 25
UNWIND $ids AS id
MATCH (prototype:Prototype {id: id})
DETACH DELETE prototype
