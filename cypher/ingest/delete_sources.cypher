// Delete sources with annotations, cells of tables and earlier texts; annotations and cells of papers that stay are moved
// first, by annotations/move.
//
// Parameters  $ids  LIST<STRING>  ids of sources
// Returns     nothing
// Revises     itself
// Index       source_id (schema/model.py)
// Try it      :param {ids: ['main /papers/gone.md']}
CYPHER 25
UNWIND $ids AS id
MATCH (source:Source {id: id})
WITH source ORDER BY elementId(source)
FOREACH (held IN [source] | SET held.locked = true REMOVE held.locked)  // takes the lock before its papers are read
WITH collect(source) AS sources
CALL (sources) {
  UNWIND sources AS source
  MATCH (paper:Paper)-[:HAS_SOURCE]->(source)
  WITH DISTINCT paper ORDER BY elementId(paper)
  SET paper.revision = randomUUID()
}
UNWIND sources AS source
OPTIONAL MATCH (annotation:Annotation|PrivateAnnotation|TableCell|PaperVersion)
  -[:ANNOTATES|ANNOTATES_PRIVATELY|CELL_OF|VERSION_OF]->(source)
DETACH DELETE annotation, source
