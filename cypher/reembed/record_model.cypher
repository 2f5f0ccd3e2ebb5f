// Record the model whose vectors will stand in the place that is not in use, or what becomes of these.
//
// Parameters  $name       STRING   as configured
//             $sha256     STRING   checksum of its weights
//             $dimension  INTEGER  length of its vectors
//             $probes     STRING   vectors of its probe texts, base64 of float16; '' of a local model
//             $state      STRING   'filling' while its vectors are made, 'dropping' while they are deleted
// Returns     n  INTEGER  1, or 0 if another process has taken that place into use meanwhile
// Revises     nothing
// Slots       first
// Try it      :param {name: '/models/larger', sha256: '9a8b7c6d5e4f3021', dimension: 768, probes: '', state: 'filling'}
CYPHER 25
MERGE (model:EmbeddingModel {id: 'second'})
SET model.state = model.state  // takes the node's write lock before it is read
WITH model WHERE coalesce(model.state, '') <> 'active'
SET model.name = $name, model.sha256 = $sha256, model.dimension = $dimension, model.probes = nullIf($probes, ''), model.state = $state
RETURN count(*) AS n
