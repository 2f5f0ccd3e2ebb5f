// Delete annotations.
//
// Parameters  $ids  LIST<STRING>  ids of annotations
// Returns     nothing
// Revises     nothing
// Index       annotation_id, private_annotation_id (schema/model.py)
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (annotation:Annotation|PrivateAnnotation {id: id})
DETACH DELETE annotation
