// Chunks that are similar to a lower one, to one of their paper or of another collection, or by no cosine.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      part_similar
// Order       290
// Try it      :param {limit: 10}
CYPHER 25
MATCH (chunk:Chunk)-[similar:SIMILAR]->(other:Chunk)
WHERE chunk.id >= other.id OR chunk.paperId = other.paperId OR chunk.collection <> other.collection
   OR similar.score IS NULL OR NOT -1.0 <= similar.score <= 1.0
WITH chunk, count(*) AS n
RETURN chunk.id AS id, chunk.paperId AS paper_id, 'is wrongly similar to ' + n + ' others' AS problem
ORDER BY id LIMIT $limit
