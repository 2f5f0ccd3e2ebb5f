// Write records of a file into a screening; one that is there stays as it is.
//
// Parameters  $screening  STRING     id of the screening
//             $rows       LIST<MAP>  {id, properties, repeats, by}: the record that it repeats, and what is equal, or null
// Returns     nothing
// Revises     nothing
// Index       screening_id, screening_record_id (schema/model.py)
// Try it      :param {screening: 's1', rows: [{id: 'r1', properties: {title: 'On tides'}, repeats: null, by: null}]}
CYPHER 25
MATCH (screening:Screening {id: $screening})
UNWIND $rows AS row
MERGE (record:ScreeningRecord {id: row.id})
  ON CREATE SET record += row.properties, record.screeningId = screening.id, record.collection = screening.collection
MERGE (screening)-[:HAS_RECORD]->(record)
WITH row, record WHERE row.repeats IS NOT NULL
MATCH (kept:ScreeningRecord {id: row.repeats})
MERGE (record)-[same:REPEATS]->(kept)
SET same.by = row.by
