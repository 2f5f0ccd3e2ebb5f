// A page of the searched chunks of a collection, with their texts and places.
//
// Parameters  $collection  STRING        where they stand
//             $kinds       LIST<STRING>  kinds of chunk
//             $after       STRING        id of the last one of the page before, '' at the start
//             $limit       INTEGER       most rows
// Returns     chunk_id, paper_id, text  STRING
//             start_char, end_char  INTEGER  characters of the document, counted from 0
// Index       chunk_id (schema/model.py)
// Slots       embedding
// Try it      :param kinds => ['abstract', 'body']
//             :param {collection: 'main', after: '', limit: 10}
CYPHER 25
MATCH (chunk:Chunk)
WHERE chunk.id > $after AND chunk.collection = $collection AND chunk.kind IN $kinds AND chunk.embedding IS NOT NULL
WITH chunk ORDER BY chunk.id LIMIT $limit
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, chunk.text AS text, chunk.startChar AS start_char,
       chunk.endChar AS end_char
ORDER BY chunk_id
