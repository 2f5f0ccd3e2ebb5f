// Take the model of the other place into use, in one step; the vectors of the one before are kept.
//
// What enrichments over collections made of the vectors before is forgotten to be up to date.
//
// Parameters  $sha256  STRING  checksum of the weights of the model that is taken into use
// Returns     slot  STRING  'first' or 'second', the place that is in use now
// Revises     nothing
// Slots       first
// Try it      :param {sha256: '0f1e2d3c4b5a6978'}
CYPHER 25
MATCH (before:EmbeddingModel {id: 'first', state: 'active'})
MATCH (model:EmbeddingModel {id: 'second', sha256: $sha256})
WHERE model.state IN ['filling', 'kept']
SET before.state = 'kept', model.state = 'active'
WITH model
CALL () {
  MATCH (state:EnrichmentState)
  DELETE state
}
RETURN model.id AS slot
