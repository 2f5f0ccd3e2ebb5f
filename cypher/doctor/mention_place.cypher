// Chunks with mentions of entities of another collection, or at places that their text does not have.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      mark_papers
// Order       260
// Try it      :param {limit: 10}
CYPHER 25
MATCH (chunk:Chunk)-[mention:MENTIONS]->(entity:Entity)
WHERE chunk.collection <> entity.collection
   OR any(start IN coalesce(mention.offsets, []) WHERE start < 0 OR start >= size(chunk.text))
WITH chunk, min(entity.name) AS name
RETURN chunk.id AS id, chunk.paperId AS paper_id, 'mentions ' + coalesce(name, 'an entity') + ' elsewhere' AS problem
ORDER BY id LIMIT $limit
