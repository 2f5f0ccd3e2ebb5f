// Choose the quantisation of the vector indexes; the indexes stay what they are.
//
// Parameters  $quantization  STRING  'none', 'scalar' or 'binary'
// Returns     nothing
// Revises     nothing
// Try it      :param {quantization: 'none'}
CYPHER 25
MERGE (chosen:SchemaVersion {id: 'vectors'})
SET chosen.quantization = $quantization
