// Make names, aliases and types of entities what their mentions say; those that nothing mentions any more go.
//
// The name is the spelling that most chunks use, the type the one that most say, the first by alphabet among equals.
//
// Parameters  $ids  LIST<STRING>  ids of entities, in order
// Returns     id, name  STRING  of those whose vector in use is missing, in order of id
// Revises     nothing
// Index       entity_id (schema/model.py)
// Slots       embedding
// Try it      :param {ids: ['e1']}
CYPHER 25
UNWIND $ids AS id
MATCH (thing:Entity {id: id})
CALL (thing) {
  MATCH (:Chunk)-[mention:MENTIONS]->(thing)
  UNWIND mention.names AS name
  WITH name, count(*) AS n ORDER BY n DESC, name
  RETURN collect(name) AS names
}
CALL (thing) {
  MATCH (:Chunk)-[mention:MENTIONS]->(thing)
  WITH mention.type AS type, count(*) AS n ORDER BY n DESC, type
  RETURN head(collect(type)) AS type
}
CALL (thing, names) {
  OPTIONAL MATCH (:Chunk)-[mention:MENTIONS]->(thing)
  UNWIND tail(names) + coalesce(mention.aliases, []) AS alias
  WITH DISTINCT alias, names WHERE alias <> head(names)
  WITH alias ORDER BY alias
  RETURN collect(alias) AS aliases
}
FOREACH (_ IN CASE WHEN names <> [] THEN [1] ELSE [] END |
  SET thing.name = head(names), thing.aliases = aliases, thing.type = type)
FOREACH (_ IN CASE WHEN names = [] THEN [1] ELSE [] END | DETACH DELETE thing)
WITH thing, id, names WHERE names <> []
WITH id, thing WHERE thing.embedding IS NULL
RETURN id, thing.name AS name ORDER BY id
