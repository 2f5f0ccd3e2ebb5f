// Chunks that mention the given entities, or ones that are the same: those of more and of rarer entities first.
//
// Parameters  $query_vector  LIST<FLOAT>   embedding of the query, same model as the chunks' ones
//             $model         STRING        sha-256 of the weights of that model
//             $state         STRING        'active', or 'kept' to look among vectors that are no longer in use
//             $entity_ids    LIST<STRING>  ids of entities
//             $paper_ids     LIST<STRING>  ids of the papers to look in, or null for all
//             $kinds         LIST<STRING>  kinds of chunk to look in
//             $k             INTEGER       how many chunks, at least 1
// Returns     chunk_id, paper_id  STRING
//             entities  LIST<MAP>  id and name of those it mentions
//             score  FLOAT  sum over these of 1 / (1 + ln n), n chunks mentioning one, and (1 + cosine) / 2; best first
// Index       entity_id (schema/model.py)
// Slots       first, embedding
// Try it      :param query_vector => head(COLLECT { MATCH (c:Chunk {kind: 'body'}) RETURN c.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param entity_ids => COLLECT { MATCH (e:Entity) RETURN e.id LIMIT 3 }
//             :param {state: 'active', paper_ids: null, kinds: ['abstract', 'body'], k: 5}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: $state})
UNWIND $entity_ids AS entity_id
MATCH (thing:Entity {id: entity_id})
CALL (thing) {
  RETURN thing AS named
  UNION
  MATCH (thing)-[:SAME_AS]-(named:Entity)
  RETURN named
}
WITH thing, named, COUNT { (named)<-[:MENTIONS]-(:Chunk) } AS n
MATCH (named)<-[:MENTIONS]-(chunk:Chunk)
WHERE chunk.kind IN $kinds AND ($paper_ids IS NULL OR chunk.paperId IN $paper_ids)
WITH chunk, thing, max(1.0 / (1.0 + log(n))) AS weight
WITH chunk, sum(weight) AS weight, collect({id: thing.id, name: thing.name}) AS entities
WITH chunk, entities, weight + vector.similarity.cosine(chunk.embedding, $query_vector) AS score
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, entities, score
ORDER BY score DESC, chunk_id
LIMIT $k
