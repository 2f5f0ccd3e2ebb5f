// One page of a collection's entities, by name.
//
// Parameters  $collection  STRING        where to look, for example 'main'
//             $text        STRING        what a name or another name of it holds, in small letters; '' for all
//             $types       LIST<STRING>  only those of one of these types, or null for all
//             $after       LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit       INTEGER       how many, at least 1
// Returns     node   MAP  properties, vectors left out
//             place  LIST<ANY>  [name, id]: what they are in order of
// Index       entity_name (schema/model.py)
// Try it      :param {collection: 'main', text: '', types: null, after: [], limit: 10}
CYPHER 25
MATCH (entity:Entity {collection: $collection})
WHERE entity.name IS NOT NULL AND ($types IS NULL OR entity.type IN $types)
  AND ($text = '' OR toLower(entity.name) CONTAINS $text
       OR any(alias IN entity.aliases WHERE toLower(alias) CONTAINS $text))
WITH entity, [entity.name, entity.id] AS place
WHERE place > $after
ORDER BY place LIMIT $limit
RETURN entity { .*, embedding: null, secondEmbedding: null } AS node, place
ORDER BY place
