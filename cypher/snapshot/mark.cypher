// Note in a copy as of when it is, and which collections are in it.
//
// Parameters  $copied_at  STRING  when the store was put to rest to be copied, in ISO 8601
// Returns     collections  LIST<STRING>  what it holds, by name
// Revises     nothing
// Index       paper_listing (schema/model.py)
// Try it      :param {copied_at: '2026-11-23T04:00:00Z'}
CYPHER 25
MERGE (copy:SchemaVersion {id: 'copy'})
SET copy.copiedAt = datetime($copied_at),
    copy.collections = COLLECT { MATCH (paper:Paper) RETURN DISTINCT paper.collection AS name ORDER BY name }
RETURN copy.collections AS collections
