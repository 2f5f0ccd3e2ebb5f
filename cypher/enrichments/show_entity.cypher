// An entity with the papers that mention it most, what it is related to, and what is held to be the same.
//
// Parameters  $id     STRING   id of the entity
//             $limit  INTEGER  most papers, and most relations
// Returns     id, name, type  STRING
//             aliases  LIST<STRING>  other names
//             papers   LIST<MAP>  {key, title, n_chunks}
//             related  LIST<MAP>  {start, type, end, by, paper}: names, and the paper's key
//             same     LIST<MAP>  {id, name, score, evidence}
// Index       entity_id (schema/model.py)
// Try it      :param {id: 'e1', limit: 10}
CYPHER 25
MATCH (entity:Entity {id: $id})
RETURN entity.id AS id, entity.name AS name, entity.type AS type, coalesce(entity.aliases, []) AS aliases,
  COLLECT {
    MATCH (paper:Paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)-[:MENTIONS]->(entity)
    WITH paper, count(chunk) AS n ORDER BY n DESC, paper.key LIMIT $limit
    RETURN { key: paper.key, title: paper.title, n_chunks: n }
  } AS papers,
  COLLECT {
    MATCH (entity)-[relation:RELATED_TO]-(:Entity)
    WITH relation, startNode(relation).name AS start, endNode(relation).name AS end
    MATCH (paper:Paper {id: relation.paperId})
    WITH relation, start, end, paper ORDER BY start, relation.type, end, paper.key, relation.extractor LIMIT $limit
    RETURN { start: start, type: relation.type, end: end, by: relation.extractor, paper: paper.key }
  } AS related,
  COLLECT {
    MATCH (entity)-[same:SAME_AS]-(other:Entity)
    WITH same, other ORDER BY same.score DESC, other.name
    RETURN { id: other.id, name: other.name, score: same.score, evidence: same.evidence }
  } AS same
ORDER BY id LIMIT $limit
