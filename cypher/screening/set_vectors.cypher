// Set the vectors of records of screenings.
//
// Parameters  $rows   LIST<MAP>  {id, vector}
//             $model  STRING     sha-256 of the model that made them
// Returns     nothing
// Revises     nothing
// Index       screening_record_id (schema/model.py)
// Try it      :param {rows: [], model: 'abc'}
CYPHER 25
UNWIND $rows AS row
MATCH (record:ScreeningRecord {id: row.id})
SET record.vector = row.vector, record.vectorModel = $model
