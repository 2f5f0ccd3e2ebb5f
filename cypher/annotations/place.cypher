// Set the places of highlights in the text of their paper.
//
// Parameters  $rows  LIST<MAP>  {id, start, end} of each highlight; null where the text lacks its words
// Returns     nothing
// Revises     nothing
// Index       annotation_id, private_annotation_id (schema/model.py)
// Try it      :param {rows: [{id: 'a1', start: 10, end: 24}]}
CYPHER 25
UNWIND $rows AS row
MATCH (annotation:Annotation|PrivateAnnotation {id: row.id})
SET annotation.startChar = row.start, annotation.endChar = row.end
