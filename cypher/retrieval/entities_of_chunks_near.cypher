// Entities that chunks mention, or parts of these in a hierarchy, which are near to a query vector.
//
// Parameters  $query_vector  LIST<FLOAT>   embedding of the query, same model as the entities' ones
//             $model         STRING        sha-256 of the weights of that model
//             $chunk_ids     LIST<STRING>  ids of chunks
//             $least         FLOAT         cosine above which an thing is near
//             $k             INTEGER       how many, at least 1
// Returns     id, name  STRING
//             score  FLOAT  (1 + cosine) / 2, in [0, 1], higher is nearer; best first
// Index       chunk_id (schema/model.py)
// Slots       first, embedding
// Try it      :param query_vector => head(COLLECT { MATCH (c:Chunk) RETURN c.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param chunk_ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
//             :param {least: 0.5, k: 5}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: 'active'})
UNWIND $chunk_ids AS chunk_id
MATCH (:Chunk {id: chunk_id})<-[:CHILD_OF]-{0,5}(:Chunk)-[:MENTIONS]->(thing:Entity)
WITH DISTINCT thing WHERE thing.embedding IS NOT NULL
WITH thing, vector.similarity.cosine(thing.embedding, $query_vector) AS score
WHERE 2.0 * score - 1.0 > $least
RETURN thing.id AS id, thing.name AS name, score
ORDER BY score DESC, id
LIMIT $k
