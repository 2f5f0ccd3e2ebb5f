// Write annotations of sources; one with the same id is replaced.
//
// Parameters  $rows  LIST<MAP>  of each annotation
//                    source      STRING  id of its source
//                    label       STRING  Annotation, or PrivateAnnotation
//                    type        STRING  ANNOTATES, or ANNOTATES_PRIVATELY
//                    properties  MAP     with its id
// Returns     id  STRING  of each that was written
// Revises     nothing
// Index       source_id, annotation_id, private_annotation_id (schema/model.py)
// Try it      :param rows => [{source: 'main /a.md', label: 'Annotation', type: 'ANNOTATES', properties: {id: 'a1', kind: 'tag'}}]
CYPHER 25
UNWIND $rows AS row
MATCH (source:Source {id: row.source})
SET source.id = source.id  // takes the node's write lock, so that two requests do not make one annotation twice
WITH row, source
CALL (row, source) {
  MATCH (old:Annotation|PrivateAnnotation {id: row.properties.id})
  WHERE NOT row.label IN labels(old) OR NOT EXISTS { (old)-->(source) }
  DETACH DELETE old
}
OPTIONAL MATCH (kept:Annotation|PrivateAnnotation {id: row.properties.id})
CALL (row, source, kept) {
  WITH row, source, kept WHERE kept IS NULL
  CREATE (made:$(row.label))-[:$(row.type)]->(source)
  SET made = row.properties
}
CALL (row, kept) {
  WITH row, kept WHERE kept IS NOT NULL  // in place, because others may be reading it
  SET kept = row.properties
}
RETURN row.properties.id AS id
