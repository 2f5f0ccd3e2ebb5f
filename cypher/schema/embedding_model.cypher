// The embedding models that vectors of this store are of, at most one for each of the two places of vectors.
//
// Parameters  none
// Returns     slot    STRING  'first' or 'second', the place where its vectors stand
//             name    STRING  as it was configured
//             sha256  STRING  checksum of its weights
//             dimension  INTEGER  length of its vectors
//             probes  STRING  vectors of the probe texts of a served model, base64 of float16; '' of a local one
//             state   STRING  'active', 'filling', 'kept' or 'dropping'
// Try it      paste as it is
CYPHER 25
MATCH (model:EmbeddingModel)
RETURN model.id AS slot, model.name AS name, model.sha256 AS sha256, model.dimension AS dimension,
       coalesce(model.probes, '') AS probes, model.state AS state
ORDER BY slot
