// Quantisation that was chosen for the vector indexes; no row where none was.
//
// Parameters  none
// Returns     quantization  STRING  'none', 'scalar' or 'binary'
// Try it      paste as it is
CYPHER 25
MATCH (chosen:SchemaVersion {id: 'vectors'})
RETURN chosen.quantization AS quantization
