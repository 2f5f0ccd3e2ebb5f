// Delete relations of entities that are of a paper that is gone, or of chunks that are not its own or do not mention them.
//
// Parameters  $ids  LIST<STRING>  ids of entities that they start at
// Returns     n_repaired  INTEGER
// Action      deleted
// Try it      :param {ids: ['e1']}
CYPHER 25
UNWIND $ids AS id
MATCH (entity:Entity {id: id})-[relation:RELATED_TO]->(:Entity)
WHERE NOT EXISTS { (:Paper {id: relation.paperId}) }
   OR size(coalesce(relation.chunkIds, [])) = 0
   OR any(id IN relation.chunkIds WHERE NOT EXISTS {
        MATCH (chunk:Chunk {id: id})-[:MENTIONS]->(entity) WHERE chunk.paperId = relation.paperId })
DELETE relation
RETURN count(*) AS n_repaired
