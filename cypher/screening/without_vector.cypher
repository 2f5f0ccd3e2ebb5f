// Records of a screening without a vector of a model, those that repeat another one aside.
//
// Parameters  $screening  STRING   id of the screening
//             $model      STRING   sha-256 of the model
//             $limit      INTEGER  most records
// Returns     id, title, abstract  STRING
// Index       screening_id (schema/model.py)
// Try it      :param {screening: 's1', model: 'abc', limit: 10}
CYPHER 25
MATCH (:Screening {id: $screening})-[:HAS_RECORD]->(record:ScreeningRecord)
WHERE (record.vectorModel IS NULL OR record.vectorModel <> $model)
  AND NOT EXISTS { (record)-[:REPEATS]->(:ScreeningRecord) }
RETURN record.id AS id, record.title AS title, record.abstract AS abstract
ORDER BY id LIMIT $limit
