// Delete the sections and chunks of papers that are not among those to keep.
//
// Parameters  $rows  LIST<MAP>  {id, keep}: a paper's id, and ids of sections and chunks
// Returns     nothing
// Try it      :param rows => [{id: 'a1', keep: []}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})-[:HAS_SECTION]->(section:Section)
OPTIONAL MATCH (section)-[:HAS_CHUNK]->(chunk:Chunk)
WITH row, collect(DISTINCT section) + collect(DISTINCT chunk) AS parts
UNWIND parts AS part
WITH row, part WHERE NOT part.id IN row.keep
DETACH DELETE part
