// Choose the quantization of the vector indexes of a new store; a store that has a schema keeps its own.
//
// Parameters  $quantization  STRING  'scalar' or 'binary'
// Returns     nothing
// Revises     nothing
// Try it      :param {quantization: 'scalar'}
CYPHER 25
OPTIONAL MATCH (schema:SchemaVersion {id: 'schema'})
WITH schema
WHERE schema IS NULL
MERGE (chosen:SchemaVersion {id: 'vectors'})
ON CREATE SET chosen.quantization = $quantization
