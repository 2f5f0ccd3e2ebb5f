// Entities of a collection with the chunks that mention them.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $after       STRING   id of the last entity before the page, '' for the first page
//             $before      STRING   where ids end: 'g' for all, which are hexadecimal
//             $limit       INTEGER  rows of a page
// Returns     id, name   STRING
//             page_rank  FLOAT         null if it has none
//             chunks     LIST<STRING>  ids of chunks, parents of a hierarchy left out
// Index       entity_id (schema/model.py)
// Try it      :param {collection: 'main', after: '', before: 'g', limit: 2}
CYPHER 25
MATCH (entity:Entity)
WHERE $after < entity.id < $before AND entity.collection = $collection
WITH entity ORDER BY entity.id LIMIT $limit
RETURN entity.id AS id, entity.name AS name, entity.pageRank AS page_rank,
       COLLECT { MATCH (chunk:Chunk)-[:MENTIONS]->(entity) WHERE chunk.level = 0 RETURN chunk.id } AS chunks
ORDER BY id
