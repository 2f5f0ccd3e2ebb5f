// Entities that chunks of papers mention.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     id  STRING  in order
// Index       paper_id (schema/model.py)
// Try it      :param {ids: ['a1']}
CYPHER 25
MATCH (paper:Paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
WHERE paper.id IN $ids
MATCH (chunk)-[:MENTIONS]->(entity:Entity)
WITH DISTINCT entity.id AS id
RETURN id ORDER BY id
