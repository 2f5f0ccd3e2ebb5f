// Texts of a collection's chunks.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $after       STRING   id of the last chunk before the page, '' for the first page
//             $before      STRING   where ids end: 'g' for all, which are hexadecimal
//             $limit       INTEGER  rows of a page
// Returns     id, kind, text  STRING
// Index       chunk_id (schema/model.py)
// Try it      :param {collection: 'main', after: '', before: 'g', limit: 2}
CYPHER 25
MATCH (chunk:Chunk)
WHERE $after < chunk.id < $before AND chunk.collection = $collection AND chunk.level = 0
RETURN chunk.id AS id, chunk.kind AS kind, chunk.text AS text
ORDER BY id LIMIT $limit
