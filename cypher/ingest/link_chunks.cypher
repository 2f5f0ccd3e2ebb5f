// Link each chunk of a paper to the one after it.
//
// Parameters  $ids  LIST<STRING>  ids of all the paper's chunks in reading order
// Returns     nothing
// Try it      :param {ids: ['c1', 'c2']}
CYPHER 25
UNWIND range(0, size($ids) - 2) AS position
MATCH (chunk:Chunk {id: $ids[position]})
MATCH (next:Chunk {id: $ids[position + 1]})
MERGE (chunk)-[:NEXT_CHUNK]->(next)
