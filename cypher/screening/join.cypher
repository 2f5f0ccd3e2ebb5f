// Let a record, and those that repeat it, repeat another one, or none.
//
// Parameters  $record  STRING  id of the record
//             $kept    STRING  id of the record that it repeats; null for none
// Returns     nothing
// Revises     nothing
// Index       screening_record_id (schema/model.py)
// Try it      :param {record: 'r1', kept: null}
CYPHER 25
MATCH (record:ScreeningRecord {id: $record})
CALL (record) {
  OPTIONAL MATCH (record)-[old:REPEATS]->(:ScreeningRecord)
  DELETE old
}
OPTIONAL MATCH (kept:ScreeningRecord {id: $kept})
CALL (record, kept) {
  WITH record, kept WHERE kept IS NOT NULL
  OPTIONAL MATCH (other:ScreeningRecord)-[before:REPEATS]->(record)
  DELETE before
  WITH record, kept, collect(other) AS others
  UNWIND [record] + others AS one
  MERGE (one)-[same:REPEATS]->(kept)
  SET same.by = 'person'
}
