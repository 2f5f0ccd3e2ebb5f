// Record the store's embedding model, unless one is in use.
//
// Parameters  $name       STRING   as configured
//             $sha256     STRING   checksum of its weights
//             $dimension  INTEGER  length of its vectors
//             $probes     STRING   vectors of its probe texts, base64 of float16; '' of a local model
// Returns     nothing
// Revises     nothing
// Try it      :param {name: 'bge-small-en-v1.5', sha256: '53aa51172d142c89', dimension: 384, probes: ''}
CYPHER 25
OPTIONAL MATCH (active:EmbeddingModel {state: 'active'})
WITH active WHERE active IS NULL
MERGE (model:EmbeddingModel {id: 'first'})
ON CREATE SET model.name = $name, model.sha256 = $sha256, model.dimension = $dimension, model.probes = nullIf($probes, ''), model.state = 'active'
