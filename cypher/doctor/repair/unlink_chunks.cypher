// Take away links from chunks to other chunks than the ones after them.
//
// Parameters  $ids  LIST<STRING>  ids of chunks
// Returns     n_repaired  INTEGER
// Action      wrong links taken away
// Try it      :param {ids: ['c1']}
CYPHER 25
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})-[wrong:NEXT_CHUNK]->(next)
WHERE next.paperId <> chunk.paperId OR next.ordinal <> chunk.ordinal + 1 OR next.kind = 'parent'
DELETE wrong
RETURN count(*) AS n_repaired
