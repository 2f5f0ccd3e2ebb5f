// The embedding model that made the vectors of this store.
//
// Parameters  none
// Returns     name    STRING  as it was configured
//             sha256  STRING  checksum of its weights
//             dimension  INTEGER  length of its vectors
// Try it      paste as it is
CYPHER 25
MATCH (model:EmbeddingModel)
RETURN model.name AS name, model.sha256 AS sha256, model.dimension AS dimension
