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
CALL (row) {
  MATCH (old:Annotation|PrivateAnnotation {id: row.properties.id})
  DETACH DELETE old
}
CREATE (annotation:$(row.label))-[:$(row.type)]->(source)
SET annotation = row.properties
RETURN annotation.id AS id
