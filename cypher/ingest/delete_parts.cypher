// Delete the sections and chunks of a paper that are not among those to keep.
//
// Parameters  $id    STRING        id of the paper
//             $keep  LIST<STRING>  ids of sections and chunks
// Returns     nothing
// Try it      :param {id: 'a1', keep: []}
CYPHER 25
MATCH (paper:Paper {id: $id})-[:HAS_SECTION]->(section:Section)
OPTIONAL MATCH (section)-[:HAS_CHUNK]->(chunk:Chunk)
WITH collect(DISTINCT section) + collect(DISTINCT chunk) AS parts
UNWIND parts AS part
WITH part WHERE NOT part.id IN $keep
DETACH DELETE part
