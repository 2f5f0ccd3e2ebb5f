// Entities whose name, aliases or type are not what their mentions say, or that have one without a name, type or place.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      name_entities
// Order       250
// Try it      :param {limit: 10}
CYPHER 25
MATCH (entity:Entity)
WHERE EXISTS { (:Chunk)-[:MENTIONS]->(entity) }
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
  MATCH (:Chunk)-[mention:MENTIONS]->(entity)
  UNWIND tail(names) + coalesce(mention.aliases, []) AS alias
  WITH DISTINCT alias, names WHERE alias <> head(names)
  WITH alias ORDER BY alias
  RETURN collect(alias) AS aliases
}
WITH entity, names, type, aliases
WHERE names = [] OR type IS NULL OR coalesce(entity.name, '') <> head(names) OR coalesce(entity.type, '') <> type
   OR coalesce(entity.aliases, []) <> aliases
RETURN entity.id AS id, null AS paper_id,
       'is ' + coalesce(entity.name, 'without a name') + ', ' + coalesce(entity.type, 'of no type') + '; its mentions say '
         + coalesce(head(names), 'no name') + ', ' + coalesce(type, 'no type') AS problem
ORDER BY id LIMIT $limit
