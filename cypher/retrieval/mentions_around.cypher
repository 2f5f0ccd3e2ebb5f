// Who mentions what around the given chunks and entities: the edges that a random walk goes along.
//
// Parameters  $chunk_ids   LIST<STRING>  chunks that the walk begins at
//             $entity_ids  LIST<STRING>  entities that the walk begins at
//             $most        INTEGER       entities that more chunks mention say too little and are passed over
//             $paper_ids   LIST<STRING>  ids of the papers to look in, or null for all
//             $kinds       LIST<STRING>  kinds of chunk to look in
//             $limit       INTEGER       edges, at least 1
// Returns     entity_id, entity, chunk_id, paper_id  STRING
// Index       chunk_id, entity_id (schema/model.py)
// Try it      :param chunk_ids => COLLECT { MATCH (c:Chunk)-[:MENTIONS]->() RETURN c.id LIMIT 3 }
//             :param {entity_ids: [], most: 100, paper_ids: null, kinds: ['abstract', 'body'], limit: 1000}
CYPHER 25
CALL () {
  UNWIND $chunk_ids AS chunk_id
  MATCH (:Chunk {id: chunk_id})-[:MENTIONS]->(entity:Entity)
  RETURN entity
  UNION
  UNWIND $entity_ids AS entity_id
  MATCH (entity:Entity {id: entity_id})
  RETURN entity
}
WITH entity WHERE COUNT { (entity)<-[:MENTIONS]-(:Chunk) } <= $most
MATCH (entity)<-[:MENTIONS]-(chunk:Chunk)
WHERE chunk.kind IN $kinds AND ($paper_ids IS NULL OR chunk.paperId IN $paper_ids)
RETURN entity.id AS entity_id, entity.name AS entity, chunk.id AS chunk_id, chunk.paperId AS paper_id
ORDER BY entity_id, chunk_id
LIMIT $limit
