// The embedding model in use, which stays in use until this transaction has ended.
//
// Parameters  $gate  STRING  one of the locks 'writers 0' to 'writers 7', any: a change of models waits for all of them
// Returns     slot  STRING  'first' or 'second', the place where its vectors stand; null if the store has no model
//             name, sha256  STRING
//             dimension  INTEGER  length of its vectors
//             is_restored_into  BOOLEAN  whether a snapshot is being restored into the store
// Revises     nothing
// Try it      :param {gate: 'writers 0'}
CYPHER 25
MERGE (gate:SchemaVersion {id: $gate})
SET gate.touched = 'a writer'  // takes the node's write lock before the model is read
WITH gate
OPTIONAL MATCH (model:EmbeddingModel {state: 'active'})
RETURN model.id AS slot, model.name AS name, model.sha256 AS sha256, model.dimension AS dimension,
       EXISTS { (:SchemaVersion {id: 'restore'}) } AS is_restored_into
