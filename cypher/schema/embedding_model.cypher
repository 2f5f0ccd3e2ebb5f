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
RETURN CASE model.id WHEN 'active' THEN 'first' ELSE model.id END AS slot,  // as it was before there were two places
       model.name AS name, model.sha256 AS sha256, model.dimension AS dimension,
       coalesce(model.probes, '') AS probes, CASE model.id WHEN 'active' THEN 'active' ELSE model.state END AS state
ORDER BY slot
