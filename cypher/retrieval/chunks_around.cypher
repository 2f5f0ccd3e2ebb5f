// Chunks one step of the graph away from the given ones, nearest to a query vector first.
//
// Parameters  $query_vector  LIST<FLOAT>   embedding of the query, same model as the chunks' ones
//             $model         STRING        sha-256 of the weights of that model
//             $state         STRING        'active', or 'kept' to look among vectors that are no longer in use
//             $chunk_ids     LIST<STRING>  chunks to go out from
//             $via           LIST<STRING>  what to go along: 'mentions', 'cites', 'similar'
//             $most          INTEGER       entities that more chunks mention say too little and are passed over
//             $paper_ids     LIST<STRING>  ids of the papers to look in, or null for all
//             $kinds         LIST<STRING>  kinds of chunk to look in
//             $k             INTEGER       how many chunks, at least 1
// Returns     chunk_id, paper_id, from_id  STRING
//             label, id, name  STRING  what lies between: an entity, a paper, or the chunk gone out from
//             score  FLOAT  (1 + cosine) / 2, in [0, 1], higher is nearer; best first
// Index       chunk_id (schema/model.py)
// Slots       first, embedding
// Try it      :param query_vector => head(COLLECT { MATCH (c:Chunk {kind: 'body'}) RETURN c.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param chunk_ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
//             :param {state: 'active', via: ['mentions'], most: 100, paper_ids: null, kinds: ['body'], k: 5}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: $state})
UNWIND $chunk_ids AS from_id
MATCH (from:Chunk {id: from_id})
CALL (from) {
  WITH from WHERE 'mentions' IN $via
  MATCH (from)-[:MENTIONS]->(thing:Entity)
  WHERE COUNT { (thing)<-[:MENTIONS]-(:Chunk) } <= $most
  MATCH (thing)<-[:MENTIONS]-(chunk:Chunk)
  RETURN chunk, 'Entity' AS label, thing.id AS id, thing.name AS name
  UNION
  WITH from WHERE 'similar' IN $via
  MATCH (from)-[:SIMILAR]-(chunk:Chunk)
  RETURN chunk, 'Chunk' AS label, from.id AS id, from.context AS name
  UNION
  WITH from WHERE 'cites' IN $via
  MATCH (paper:Paper {id: from.paperId})-[:CITES]-(other:Paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
  RETURN chunk, 'Paper' AS label, paper.id AS id, paper.title AS name
}
WITH from_id, chunk, label, id, name
WHERE chunk.kind IN $kinds AND ($paper_ids IS NULL OR chunk.paperId IN $paper_ids) AND NOT chunk.id IN $chunk_ids
WITH chunk, head(collect([from_id, label, id, name])) AS way
WITH chunk, way, vector.similarity.cosine(chunk.embedding, $query_vector) AS score
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, way[0] AS from_id, way[1] AS label, way[2] AS id,
       way[3] AS name, score
ORDER BY score DESC, chunk_id
LIMIT $k
