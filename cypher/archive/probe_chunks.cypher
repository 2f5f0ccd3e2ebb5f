// The first chunk from each of some beginnings of an id on, to search for.
//
// Parameters  $places  LIST<STRING>  beginnings of ids, or whole ids
// Returns     id, collection, kind, text  STRING
//             vector  LIST<FLOAT>  null where it has none
// Slots       embedding
// Index       chunk_id (schema/model.py)
// Try it      :param {places: ['0', '8']}
CYPHER 25
UNWIND $places AS place
CALL (place) {
  MATCH (chunk:Chunk)
  WHERE chunk.id >= place
  RETURN chunk ORDER BY chunk.id LIMIT 1
}
WITH DISTINCT chunk
RETURN chunk.id AS id, chunk.collection AS collection, chunk.kind AS kind, chunk.text AS text,
       chunk.embedding AS vector
ORDER BY id
