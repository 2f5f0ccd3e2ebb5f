// Chunks that do not stand in exactly one section, the one whose id they hold.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      place_chunks, delete_chunks, mark_papers
// Order       70
// Try it      :param {limit: 10}
CYPHER 25
MATCH (chunk:Chunk)
WITH chunk, COUNT { (:Section)-[:HAS_CHUNK]->(chunk) } AS n_sections,
     EXISTS { (:Section {id: chunk.sectionId, paperId: chunk.paperId})-[:HAS_CHUNK]->(chunk) } AS at_home
WHERE n_sections <> 1 OR NOT at_home
RETURN chunk.id AS id, chunk.paperId AS paper_id,
       'stands in ' + n_sections + ' sections' + CASE WHEN at_home THEN '' ELSE ', not in its own' END AS problem
ORDER BY id LIMIT $limit
