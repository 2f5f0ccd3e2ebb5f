// Quantization of the vector indexes; no row for the default, none.
//
// Parameters  none
// Returns     quantization  STRING  'scalar' or 'binary'
// Try it      paste as it is
CYPHER 25
MATCH (chosen:SchemaVersion {id: 'vectors'})
RETURN chosen.quantization AS quantization
