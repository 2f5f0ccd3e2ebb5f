// A page of the chunks of a collection that are searched, with what their vectors are made of.
//
// Parameters  $collection  STRING        where they stand
//             $kinds       LIST<STRING>  kinds of chunk
//             $after       STRING        id of the last one of the page before, '' at the start
//             $limit       INTEGER       most rows
// Returns     chunk_id, paper_id, text, context  STRING
//             start_char, end_char  INTEGER  characters of the document, counted from 0
//             chunker   STRING        how its paper was cut
//             cleaning  LIST<STRING>  what was cleaned then
// Index       chunk_id (schema/model.py)
// Slots       embedding
// Try it      :param kinds => ['abstract', 'body']
//             :param {collection: 'main', after: '', limit: 10}
CYPHER 25
MATCH (chunk:Chunk)
WHERE chunk.id > $after AND chunk.collection = $collection AND chunk.kind IN $kinds AND chunk.embedding IS NOT NULL
WITH chunk ORDER BY chunk.id LIMIT $limit
MATCH (paper:Paper {id: chunk.paperId})
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, chunk.text AS text, coalesce(chunk.context, '') AS context,
       chunk.startChar AS start_char, chunk.endChar AS end_char, paper.chunker AS chunker,
       coalesce(paper.cleaning, []) AS cleaning
ORDER BY chunk_id
