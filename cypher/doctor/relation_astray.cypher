// Entities with relations of a paper that is gone, or of chunks that are not that paper's or do not mention them.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       paper_id, chunk_id (schema/model.py)
// Advice      papergraph doctor --fix
// Repair      delete_relations
// Order       270
// Try it      :param {limit: 10}
CYPHER 25
MATCH (entity:Entity)-[relation:RELATED_TO]->(:Entity)
WHERE NOT EXISTS { (:Paper {id: relation.paperId}) }
   OR size(coalesce(relation.chunkIds, [])) = 0
   OR any(id IN relation.chunkIds WHERE NOT EXISTS {
        MATCH (chunk:Chunk {id: id})-[:MENTIONS]->(entity) WHERE chunk.paperId = relation.paperId })
WITH entity, min(relation.paperId) AS paper
RETURN entity.id AS id, paper AS paper_id, coalesce(entity.name, 'an entity') + ' is related by what is gone' AS problem
ORDER BY id LIMIT $limit
