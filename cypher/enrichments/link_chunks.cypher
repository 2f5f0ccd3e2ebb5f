// A page of a collection's chunks of some kinds, with their texts.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $kinds       LIST<STRING>  kinds of chunk
//             $after       STRING        id of the last chunk before the page, '' for the first page
//             $limit       INTEGER       rows of a page
// Returns     id, paper_id, kind, text  STRING
// Index       chunk_id (schema/model.py)
// Try it      :param {collection: 'main', kinds: ['abstract', 'body'], after: '', limit: 10}
CYPHER 25
MATCH (chunk:Chunk)
WHERE chunk.id > $after AND chunk.collection = $collection AND chunk.kind IN $kinds
RETURN chunk.id AS id, chunk.paperId AS paper_id, chunk.kind AS kind, chunk.text AS text
ORDER BY id LIMIT $limit
