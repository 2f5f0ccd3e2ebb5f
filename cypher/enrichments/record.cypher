// Note of what an enrichment over a collection was made.
//
// Parameters  $id           STRING  id of its state
//             $collection   STRING  the collection, for example 'main'
//             $name         STRING  name of the enrichment
//             $config_hash  STRING  sha-256 hex over all that decides what it makes
//             $input_hash  STRING  sha-256 hex over what it was made of
// Returns     nothing
// Revises     nothing
// Try it      :param {id: 'l1', collection: 'main', name: 'clusters', config_hash: 'ab', input_hash: 'cd'}
CYPHER 25
MERGE (state:EnrichmentState {id: $id})
SET state.collection = $collection, state.name = $name, state.configHash = $config_hash,
    state.inputHash = $input_hash, state.updatedAt = datetime()
