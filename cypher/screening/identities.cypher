// Records of a screening with what tells whether two are the same work, in order of id.
//
// Parameters  $screening  STRING  id of the screening
// Returns     id, source, title, doi, pmid, file  STRING
//             authors  LIST<STRING>
//             year, line  INTEGER
//             repeats, by  STRING  the record that it repeats, and what is equal; null for one that is kept
// Index       screening_id (schema/model.py)
// Try it      :param {screening: 's1'}
CYPHER 25
MATCH (:Screening {id: $screening})-[:HAS_RECORD]->(record:ScreeningRecord)
OPTIONAL MATCH (record)-[same:REPEATS]->(kept:ScreeningRecord)
RETURN record.id AS id, record.source AS source, record.title AS title, record.doi AS doi, record.pmid AS pmid,
       record.file AS file, record.authors AS authors, record.year AS year, record.line AS line,
       kept.id AS repeats, same.by AS by
ORDER BY id
