// Note the affiliations that sources state, and others of the same content.
//
// Parameters  $rows  LIST<MAP>  {id, affiliations}: id of a source, and what it states, or null
// Returns     nothing
// Revises     nothing
// Index       source_id, source_content (schema/migrations/0013_sources.cypher)
// Try it      :param rows => [{id: 'main /papers/a.pdf', affiliations: ['University of Lund']}]
CYPHER 25
UNWIND $rows AS row
MATCH (packed:Source {id: row.id})
MATCH (source:Source {collection: packed.collection, contentHash: packed.contentHash})
SET source.affiliations = row.affiliations
