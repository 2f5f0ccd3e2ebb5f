// Hold the annotations of a source until the end of the transaction, and read one of them.
//
// Parameters  $source  STRING  id of the source
//             $id      STRING  id of the annotation
// Returns     annotation  MAP  its properties; no row if it was deleted
//             is_shared   BOOLEAN
// Revises     nothing
// Index       source_id (schema/model.py)
//             annotation_id (schema/model.py)
//             private_annotation_id (schema/model.py)
// Try it      :param {source: 's1', id: 'a1'}
CYPHER 25
MATCH (source:Source {id: $source})
SET source.id = source.id  // takes the node's write lock
WITH source
MATCH (annotation:Annotation|PrivateAnnotation {id: $id})-[:ANNOTATES|ANNOTATES_PRIVATELY]->(source)
RETURN annotation { .* } AS annotation, annotation:Annotation AS is_shared
