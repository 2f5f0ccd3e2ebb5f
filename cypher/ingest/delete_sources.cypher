// Delete sources.
//
// Parameters  $ids  LIST<STRING>  ids of sources
// Returns     nothing
// Revises     itself
// Index       source_id (schema/migrations/0013_sources.cypher)
// Try it      :param {ids: ['main /papers/gone.md']}
CYPHER 25
UNWIND $ids AS id
MATCH (source:Source {id: id})
CALL (source) {
  MATCH (paper:Paper)-[:HAS_SOURCE]->(source)
  SET paper.revision = randomUUID()
}
DETACH DELETE source
