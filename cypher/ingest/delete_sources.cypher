// Delete sources.
//
// Parameters  $ids  LIST<STRING>  ids of sources
// Returns     nothing
// Index       source_id (schema/migrations/0013_sources.cypher)
// Try it      :param {ids: ['main /papers/gone.md']}
CYPHER 25
UNWIND $ids AS id
MATCH (source:Source {id: id})
DETACH DELETE source
