// Set the scores of records of a screening, and how many were decided when they were computed.
//
// Parameters  $screening  STRING     id of the screening
//             $rows       LIST<MAP>  {id, score, words}
//             $n_decided  INTEGER    decided records
// Returns     nothing
// Revises     nothing
// Index       screening_id, screening_record_id (schema/model.py)
// Try it      :param {screening: 's1', rows: [{id: 'r1', score: 0.5, words: ['+tides']}], n_decided: 10}
CYPHER 25
MATCH (screening:Screening {id: $screening})
SET screening.nRanked = $n_decided
WITH screening
UNWIND $rows AS row
MATCH (record:ScreeningRecord {id: row.id})
SET record.score = row.score, record.words = row.words
