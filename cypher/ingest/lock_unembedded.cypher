// Papers without a vector, locked until the transaction ends.
//
// Parameters  $ids  LIST<STRING>  ids of the papers
// Returns     id, content  STRING
//             has_enrichments  BOOLEAN  whether enrichments stand for it
// Revises     nothing
// Index       paper_id (schema/model.py)
// Slots       embedding
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
SET paper.nKeys = paper.nKeys  // takes the node's write lock before anything is read from it
WITH paper WHERE paper.id IS NOT NULL AND paper.embedding IS NULL
RETURN paper.id AS id, paper.contentHash AS content,
       coalesce(paper.enrichments, paper.pageRank, paper.linksConfigHash) IS NOT NULL AS has_enrichments
ORDER BY id
