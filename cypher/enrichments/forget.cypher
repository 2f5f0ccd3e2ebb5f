// Forget how far enrichments over a collection are, so that they are looked at again.
//
// Parameters  $ids  LIST<STRING>  ids of enrichments
// Returns     nothing
// Revises     nothing
// Try it      :param {ids: ['l1']}
CYPHER 25
UNWIND $ids AS id
MATCH (state:EnrichmentState {id: id})
DELETE state
