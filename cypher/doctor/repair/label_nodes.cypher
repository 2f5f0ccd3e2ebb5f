// Give chunks and entities the labels that LlamaIndex finds them by.
//
// Parameters  $ids  LIST<STRING>  ids of chunks and entities
// Returns     n_repaired  INTEGER
// Action      labelled
// Try it      :param {ids: ['c1']}
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  MATCH (node:Chunk {id: id})
  SET node:__Node__
  RETURN node
  UNION ALL
  MATCH (node:Entity {id: id})
  SET node:__Node__:__Entity__
  RETURN node
}
RETURN count(*) AS n_repaired
