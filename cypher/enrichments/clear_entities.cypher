// Remove what the enrichment of entities made of papers: mentions, relations, and entities that nothing mentions any more.
//
// Those that others mention as well get the name, aliases and type that is left.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     nothing
// Revises     papers $ids
// Index       paper_id (schema/model.py)
// Try it      :param {ids: ['a1']}
CYPHER 25
MATCH (paper:Paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
WHERE paper.id IN $ids
MATCH (chunk)-[mention:MENTIONS]->(entity:Entity)
WITH entity, collect(mention) AS mentions ORDER BY entity.id
SET entity.type = entity.type  // takes the lock before the mentions of others are read
FOREACH (mention IN mentions | DELETE mention)
WITH collect(entity) AS entities
CALL (entities) {
  UNWIND entities AS entity
  MATCH (entity)-[relation:RELATED_TO]->(:Entity)
  WHERE relation.paperId IN $ids
  DELETE relation
}
UNWIND entities AS entity
CALL (entity) {
  MATCH (:Chunk)-[mention:MENTIONS]->(entity)
  UNWIND mention.names AS name
  WITH name, count(*) AS n ORDER BY n DESC, name
  RETURN collect(name) AS names
}
CALL (entity) {
  MATCH (:Chunk)-[mention:MENTIONS]->(entity)
  WITH mention.type AS type, count(*) AS n ORDER BY n DESC, type
  RETURN head(collect(type)) AS type
}
CALL (entity, names) {
  OPTIONAL MATCH (:Chunk)-[mention:MENTIONS]->(entity)
  UNWIND tail(names) + coalesce(mention.aliases, []) AS alias
  WITH DISTINCT alias, names WHERE alias <> head(names)
  WITH alias ORDER BY alias
  RETURN collect(alias) AS aliases
}
FOREACH (_ IN CASE WHEN names <> [] THEN [1] ELSE [] END |
  SET entity.name = head(names), entity.aliases = aliases, entity.type = type)
FOREACH (_ IN CASE WHEN names = [] THEN [1] ELSE [] END | DETACH DELETE entity)
