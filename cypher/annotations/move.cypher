// Move the annotations and cells of tables of sources that go to sources that stay.
//
// Parameters  $rows  LIST<MAP>  {old, new} of each source: its id, and the id of another one of its paper
// Returns     nothing
// Revises     nothing
// Index       source_id (schema/model.py)
// Try it      :param {rows: [{old: 'main /papers/gone.md', new: 'main /papers/one.md'}]}
CYPHER 25
UNWIND $rows AS row
MATCH (annotation:Annotation|PrivateAnnotation|TableCell)-[link:ANNOTATES|ANNOTATES_PRIVATELY|CELL_OF]->(:Source {id: row.old})
MATCH (target:Source {id: row.new})
CREATE (annotation)-[:$(type(link))]->(target)
DELETE link
