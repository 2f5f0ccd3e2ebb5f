// Take apart chunks that are wrongly similar: to a lower one, to one of their paper or of another collection, or by no cosine.
//
// Parameters  $ids  LIST<STRING>  ids of chunks
// Returns     n_repaired  INTEGER
// Action      taken apart
// Try it      :param {ids: ['c1']}
CYPHER 25
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})-[similar:SIMILAR]->(other:Chunk)
WHERE chunk.id >= other.id OR chunk.paperId = other.paperId OR chunk.collection <> other.collection
   OR similar.score IS NULL OR NOT -1.0 <= similar.score <= 1.0
DELETE similar
RETURN count(*) AS n_repaired
