// Record the time and the collections of a replica.
//
// Parameters  $copied_at  STRING  time when the store was stopped to be copied, in ISO 8601
// Returns     collections  LIST<STRING>  its collections, by name
// Revises     nothing
// Index       paper_listing (schema/model.py)
// Try it      :param {copied_at: '2026-11-23T04:00:00Z'}
CYPHER 25
MERGE (replica:SchemaVersion {id: 'replica'})
SET replica.copiedAt = datetime($copied_at),
    replica.collections = COLLECT { MATCH (paper:Paper) RETURN DISTINCT paper.collection AS name ORDER BY name }
RETURN replica.collections AS collections
