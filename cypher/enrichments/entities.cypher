// One page of a collection's entities.
//
// Parameters  $collection  STRING   the collection
//             $after       STRING   id of the last one of the page before, '' at the start
//             $limit       INTEGER  most rows
// Returns     id, name, type  STRING
//             explained  LIST<LIST<ANY>>  [alias, n]: other names that papers give it, and how many papers do
// Index       entity_name (schema/model.py)
// Try it      :param {collection: 'main', after: '', limit: 10}
CYPHER 25
MATCH (entity:Entity {collection: $collection})
WHERE entity.name IS NOT NULL AND entity.id > $after
WITH entity ORDER BY entity.id LIMIT $limit
RETURN entity.id AS id, entity.name AS name, entity.type AS type, COLLECT {
  MATCH (chunk:Chunk)-[mention:MENTIONS]->(entity)
  UNWIND mention.aliases AS alias
  WITH alias, count(DISTINCT chunk.paperId) AS n
  ORDER BY alias
  RETURN [alias, n]
} AS explained
ORDER BY id LIMIT $limit
