// Delete sources of documents that no paper has; they come again with their files.
//
// Parameters  $ids  LIST<STRING>  ids of sources
// Returns     n_repaired  INTEGER
// Action      deleted, if no paper has them and no person made them
// Try it      :param {ids: ['main /papers/gone.md']}
CYPHER 25
UNWIND $ids AS id
MATCH (source:Source {id: id})
WHERE source.kind <> 'edit' AND NOT EXISTS { (:Paper)-[:HAS_SOURCE]->(source) }
DELETE source
RETURN count(*) AS n_repaired
