// The vectors of chunks; none if they are no longer of the query's model.
//
// Parameters  $chunk_ids  LIST<STRING>  ids of chunks
//             $model      STRING        sha-256 of the weights of the model
//             $state      STRING        'active', or 'kept' to look among vectors that are no longer in use
// Returns     chunk_id  STRING
//             vector    LIST<FLOAT>  length 1
// Index       chunk_id (schema/migrations/0001_constraints.cypher)
// Slots       first, embedding
// Try it      :param chunk_ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param {state: 'active'}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: $state})
UNWIND $chunk_ids AS chunk_id
MATCH (chunk:Chunk {id: chunk_id})
RETURN chunk_id, chunk.embedding AS vector
