// Chunks that do not stand below exactly one parent of their paper that holds them, and parents of nothing.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       paper_id (schema/model.py)
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      unlink_parents, mark_papers
// Order       460
// Try it      :param {limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.nParents > 0 OR EXISTS { (paper)-[:HAS_SECTION]->()-[:HAS_CHUNK]->()-[:CHILD_OF]-() }
MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
WITH paper, collect(chunk) AS chunks
CALL (paper) {
  MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(any:Chunk)
  RETURN max(any.level) AS top
}
UNWIND chunks AS chunk
WITH paper, chunk, top, COUNT { (chunk)-[:CHILD_OF]->() } AS n_parents, COUNT {
    (parent:Chunk)<-[:CHILD_OF]-(chunk)
    WHERE parent.paperId = paper.id AND parent.level = chunk.level + 1
      AND parent.startChar <= chunk.startChar AND chunk.endChar <= parent.endChar
  } AS n_right, EXISTS { ()-[:CHILD_OF]->(chunk) } AS is_parent
WITH paper, chunk, n_parents, n_right, is_parent, CASE chunk.level WHEN top THEN 0 ELSE 1 END AS n_wanted
WHERE n_parents <> n_wanted OR n_right <> n_wanted OR is_parent <> (chunk.level > 0)
RETURN chunk.id AS id, paper.id AS paper_id,
       'of level ' + chunk.level + ' has ' + n_parents + ' parents, ' + n_right + ' of them right'
         + CASE WHEN is_parent = (chunk.level > 0) THEN ''
                WHEN is_parent THEN ', and is a parent itself' ELSE ', and is a parent of nothing' END AS problem
ORDER BY id LIMIT $limit
