// How far the enrichments over a collection are.
//
// Parameters  $collection  STRING  the collection, for example 'main'
// Returns     name, config_hash, input_hash  STRING
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (state:EnrichmentState)
WHERE state.collection = $collection
RETURN state.name AS name, state.configHash AS config_hash, state.inputHash AS input_hash
ORDER BY name
