// Texts and vectors of the records of a screening that repeat no other one, in order of id.
//
// Parameters  $screening  STRING  id of the screening
// Returns     id      STRING
//             text    STRING       title and abstract
//             vector  LIST<FLOAT>  null if it has none of the model in use
// Index       screening_id (schema/model.py)
// Try it      :param {screening: 's1'}
CYPHER 25
OPTIONAL MATCH (model:EmbeddingModel {state: 'active'})
WITH model.sha256 AS model
MATCH (:Screening {id: $screening})-[:HAS_RECORD]->(record:ScreeningRecord)
WHERE NOT EXISTS { (record)-[:REPEATS]->(:ScreeningRecord) }
RETURN record.id AS id, record.title + '\n' + record.abstract AS text,
       CASE WHEN record.vectorModel = model THEN record.vector END AS vector
ORDER BY id
