// Entities of a collection, those that most chunks mention first.
//
// Parameters  $collection  STRING   the collection
//             $words       STRING   what the name holds, in small letters; '' for all
//             $type        STRING   their type; '' for all
//             $limit       INTEGER  most rows
// Returns     id, name, type  STRING
//             aliases  LIST<STRING>  other names
//             n_chunks, n_papers  INTEGER  how many mention it
// Index       entity_name (schema/model.py)
// Try it      :param {collection: 'main', words: '', type: '', limit: 10}
CYPHER 25
MATCH (entity:Entity {collection: $collection})
WHERE entity.name IS NOT NULL AND ($type = '' OR entity.type = $type)
  AND ($words = '' OR toLower(entity.name) CONTAINS $words
       OR any(alias IN entity.aliases WHERE toLower(alias) CONTAINS $words))
WITH entity, count { (:Chunk)-[:MENTIONS]->(entity) } AS n_chunks
ORDER BY n_chunks DESC, entity.name LIMIT $limit
MATCH (chunk:Chunk)-[:MENTIONS]->(entity)
WITH entity, n_chunks, count(DISTINCT chunk.paperId) AS n_papers
RETURN entity.id AS id, entity.name AS name, entity.type AS type, entity.aliases AS aliases, n_chunks, n_papers
ORDER BY n_chunks DESC, name LIMIT $limit
