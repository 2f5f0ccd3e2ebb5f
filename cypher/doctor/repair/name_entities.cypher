// Make names, aliases and types of entities what their mentions say again.
//
// Parameters  $ids  LIST<STRING>  ids of entities
// Returns     n_repaired  INTEGER
// Action      named again
// Try it      :param {ids: ['e1']}
CYPHER 25
UNWIND $ids AS id
MATCH (entity:Entity {id: id})
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
WITH entity, names, type, aliases WHERE names <> [] AND type IS NOT NULL
SET entity.name = head(names), entity.aliases = aliases, entity.type = type
RETURN count(*) AS n_repaired
