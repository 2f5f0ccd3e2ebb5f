// Vectors of chunks, each only where it differs from the one at hand; none if they are no longer of the query's
// model.
//
// Parameters  $chunk_ids  LIST<STRING>  ids of chunks
//             $kept       LIST<STRING>  for each of them the hash of the vector that is at hand, or null
//             $model      STRING        sha-256 of the weights of the model
//             $state      STRING        'active', or 'kept' to look among vectors that are no longer in use
// Returns     chunk_id  STRING
//             hash      STRING       sha-256 over the model and the text that was embedded
//             vector    LIST<FLOAT>  length 1; null where the hash is the one of $kept
// Index       chunk_id (schema/model.py)
// Slots       first, embedding, embeddingHash
// Try it      :param chunk_ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param {kept: [null, null, null], state: 'active'}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: $state})
UNWIND range(0, size($chunk_ids) - 1) AS place
MATCH (chunk:Chunk {id: $chunk_ids[place]})
RETURN chunk.id AS chunk_id, chunk.embeddingHash AS hash,
       CASE WHEN chunk.embeddingHash = $kept[place] THEN null ELSE chunk.embedding END AS vector
