// A page of a collection's chunks that no prototype stands for, with their vectors, in the order of ids.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $after       STRING   id of the last chunk of the page before, '' at the start
//             $limit       INTEGER  chunks, at least 1
// Returns     id  STRING
//             embedding  LIST<FLOAT>
// Index       chunk_id (schema/model.py)
// Slots       embedding
// Try it      :param {collection: 'main', after: '', limit: 10}
CYPHER 25
MATCH (chunk:Chunk)
WHERE chunk.id > $after AND chunk.collection = $collection AND chunk.embedding IS NOT NULL
  AND NOT EXISTS { (:Prototype)-[:STANDS_FOR]->(chunk) }
WITH chunk ORDER BY chunk.id LIMIT $limit
RETURN chunk.id AS id, chunk.embedding AS embedding
ORDER BY id
