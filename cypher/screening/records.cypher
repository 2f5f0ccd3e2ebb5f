// Records by their ids, with what those that repeat them add.
//
// Parameters  $screening  STRING        id of the screening
//             $ids        LIST<STRING>  ids of records
// Returns     record    MAP           properties without vector and the record as it was written
//             sources   LIST<STRING>  databases of the record and of those that repeat it, by name
//             abstract  STRING        its own, or the first of those that repeat it
//             doi       STRING        likewise; null if none has one
// Index       screening_record_id (schema/model.py)
// Try it      :param {screening: 's1', ids: ['r1']}
CYPHER 25
UNWIND $ids AS id
MATCH (record:ScreeningRecord {id: id, screeningId: $screening})
WITH record, COLLECT {
  MATCH (other:ScreeningRecord)-[:REPEATS]->(record) RETURN other ORDER BY other.id
} AS others
RETURN record {.*, vector: null, record: null} AS record,
       COLLECT { UNWIND [record] + others AS one RETURN DISTINCT one.source AS source ORDER BY source } AS sources,
       head([one IN [record] + others WHERE one.abstract <> '' | one.abstract]) AS abstract,
       head([one IN [record] + others WHERE one.doi IS NOT NULL | one.doi]) AS doi
