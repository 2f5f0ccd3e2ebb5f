// Which things of a type do the papers of a collection mention? The most mentioned first.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $types       LIST<STRING>  types of entities in small letters, or null for all
//             $n_listed    INTEGER       entities that are listed, at least 1
// Returns     n            INTEGER       entities that there are
//             entities     LIST<MAP>     name, n of chunks, paper_ids; the most mentioned first
// Index       entity_name (schema/model.py)
// Try it      :param {collection: 'main', types: null, n_listed: 10}
CYPHER 25
MATCH (entity:Entity {collection: $collection})
WHERE entity.name IS NOT NULL AND ($types IS NULL OR toLower(entity.type) IN $types)
WITH entity, COUNT { (entity)<-[:MENTIONS]-(:Chunk) } AS n_chunks
ORDER BY n_chunks DESC, entity.name, entity.id
WITH count(*) AS n, collect({entity: entity, n: n_chunks})[..$n_listed] AS listed
RETURN n, [one IN listed | {
  name: one.entity.name, n: one.n,
  paper_ids: COLLECT { WITH one.entity AS thing MATCH (thing)<-[:MENTIONS]-(chunk:Chunk) RETURN chunk.paperId LIMIT 1 }
}] AS entities
