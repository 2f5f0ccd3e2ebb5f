// Entities whose names' vectors are nearest to a vector.
//
// Parameters  $query_vector  LIST<FLOAT>   embedding of a name, same model as the index
//             $collections   LIST<STRING>  where to look, for example ['main']
//             $model         STRING        sha-256 of the weights of that model
//             $k             INTEGER       how many, at least 1
// Returns     id, name, type  STRING
//             score  FLOAT  (1 + cosine) / 2, in [0, 1], higher is nearer; best first
// Index       entity (schema/model.py)
// Slots       first, entity, embedding
// Try it      :param query_vector => head(COLLECT { MATCH (c:Chunk) RETURN c.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param {collections: ['main'], k: 5}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: 'active'})
MATCH (thing:__Entity__)
  SEARCH thing IN (
    VECTOR INDEX entity
    FOR $query_vector
    WHERE thing.collection IN $collections
    LIMIT $k
  ) SCORE AS score
RETURN thing.id AS id, thing.name AS name, thing.type AS type, score
ORDER BY score DESC, id
