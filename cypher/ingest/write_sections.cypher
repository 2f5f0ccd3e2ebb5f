// Write a paper's sections and their tree; one that stands below another section moves.
//
// Parameters  $id    STRING     id of the paper
//             $rows  LIST<MAP>  {id, parent_id, properties, embedding}, parents before children
// Returns     nothing
// Try it      :param {id: 'a1'}
//             :param rows => [{id: 's1', parent_id: null, embedding: [1.0, 0.0], properties: {id: 's1', title: 'Method'}}]
CYPHER 25
MATCH (paper:Paper {id: $id})
UNWIND $rows AS row
MERGE (section:Section {id: row.id})
SET section = row.properties
MERGE (paper)-[:HAS_SECTION]->(section)
WITH row, section
CALL (row, section) {
  MATCH (other:Section)-[old:HAS_SUBSECTION]->(section)
  WHERE other.id <> coalesce(row.parent_id, '')
  DELETE old
}
CALL (row, section) {
  MATCH (parent:Section {id: row.parent_id})
  MERGE (parent)-[:HAS_SUBSECTION]->(section)
}
WITH row, section WHERE row.embedding IS NOT NULL
CALL db.create.setNodeVectorProperty(section, 'embedding', row.embedding)
