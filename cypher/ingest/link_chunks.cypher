// Link each chunk of a paper to the one after it.
//
// Parameters  $papers  LIST<LIST<STRING>>  for each paper the ids of all its chunks in reading order
// Returns     nothing
// Revises     chunks $papers
// Try it      :param {papers: [['c1', 'c2']]}
CYPHER 25
UNWIND $papers AS ids
UNWIND range(0, size(ids) - 2) AS position
MATCH (chunk:Chunk {id: ids[position]})
MATCH (next:Chunk {id: ids[position + 1]})
MERGE (chunk)-[:NEXT_CHUNK]->(next)
