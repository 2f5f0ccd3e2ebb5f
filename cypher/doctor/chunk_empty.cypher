// Chunks without text, or without the hash of it.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      mark_papers
// Order       490
// Try it      :param {limit: 10}
CYPHER 25
MATCH (chunk:Chunk)
WHERE chunk.text IS NULL OR trim(chunk.text) = '' OR chunk.contentHash IS NULL
RETURN chunk.id AS id, chunk.paperId AS paper_id,
       CASE WHEN chunk.contentHash IS NULL THEN 'has no hash' ELSE 'has no text' END AS problem
ORDER BY id LIMIT $limit
