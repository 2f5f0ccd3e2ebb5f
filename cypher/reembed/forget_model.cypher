// Forget the model of the place that is not in use, once no vector stands there.
//
// Parameters  none
// Returns     nothing
// Revises     nothing
// Slots       first
// Try it      paste as it is
CYPHER 25
MATCH (model:EmbeddingModel {id: 'second', state: 'dropping'})
DELETE model
