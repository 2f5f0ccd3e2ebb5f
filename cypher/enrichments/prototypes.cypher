// Prototypes of a collection's questions or chunks.
//
// Parameters  $collection  STRING  where to look, for example 'main'
//             $kind        STRING  question or chunk
// Returns     id, training_config_hash  STRING
//             centroid   LIST<FLOAT>  of length 1
//             n_trained  INTEGER      how many vectors they were made of, all together
// Index       prototype_kind (schema/model.py)
// Try it      :param {collection: 'main', kind: 'question'}
CYPHER 25
MATCH (prototype:Prototype {collection: $collection, kind: $kind})
RETURN prototype.id AS id, prototype.trainingConfigHash AS training_config_hash, prototype.centroid AS centroid, prototype.nTrained AS n_trained
ORDER BY prototype.ordinal
