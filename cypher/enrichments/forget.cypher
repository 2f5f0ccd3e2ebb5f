// Forget how far layers over a collection are, so that they are looked at again.
//
// Parameters  $ids  LIST<STRING>  ids of layers
// Returns     nothing
// Try it      :param {ids: ['l1']}
CYPHER 25
UNWIND $ids AS id
MATCH (layer:Layer {id: id})
DELETE layer
