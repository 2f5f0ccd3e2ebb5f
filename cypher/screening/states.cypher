// Records of a screening that repeat no other one, with their decisions in the order in which they were made.
//
// Parameters  $screening  STRING  id of the screening
// Returns     id         STRING     in order
//             score      FLOAT      how likely it is included; null before both kinds were decided
//             decisions  LIST<MAP>  {stage, rater, verdict, reason, note, resolves, decidedAt, name}
// Index       screening_id, api_key_id (schema/model.py)
// Try it      :param {screening: 's1'}
CYPHER 25
MATCH (:Screening {id: $screening})-[:HAS_RECORD]->(record:ScreeningRecord)
WHERE NOT EXISTS { (record)-[:REPEATS]->(:ScreeningRecord) }
RETURN record.id AS id, record.score AS score, COLLECT {
  MATCH (record)-[:HAS_DECISION]->(one:ScreeningDecision)
  OPTIONAL MATCH (key:ApiKey {id: one.rater})
  RETURN one {.stage, .rater, .verdict, .reason, .note, .resolves, .decidedAt, name: key.name}
  ORDER BY one.decidedAt, one.id
} AS decisions
ORDER BY id
