// The first chunk of each of several papers.
//
// Parameters  $paper_ids  LIST<STRING>  ids of papers
// Returns     paper_id, chunk_id  STRING  papers without chunks are left out
// Index       paper_id (schema/model.py)
// Try it      :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
CYPHER 25
UNWIND $paper_ids AS paper_id
MATCH (:Paper {id: paper_id})-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
WHERE chunk.kind <> 'parent'
WITH paper_id, chunk ORDER BY chunk.ordinal, chunk.id
WITH paper_id, collect(chunk.id)[0] AS chunk_id
RETURN paper_id, chunk_id
ORDER BY paper_id
