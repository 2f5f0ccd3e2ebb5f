// Take away links between chunks and parents that are not a level above them, in their paper and around them.
//
// Parameters  $ids  LIST<STRING>  ids of chunks at either end
// Returns     n_repaired  INTEGER
// Index       chunk_id (schema/model.py)
// Action      wrong links taken away
// Try it      :param {ids: ['c1']}
CYPHER 25
UNWIND $ids AS id
MATCH (:Chunk {id: id})-[below:CHILD_OF]-()
WITH DISTINCT below, startNode(below) AS chunk, endNode(below) AS parent
WHERE NOT coalesce(
  parent.level = chunk.level + 1 AND parent.paperId = chunk.paperId
    AND parent.startChar <= chunk.startChar AND chunk.endChar <= parent.endChar,
  false
)
DELETE below
RETURN count(*) AS n_repaired
