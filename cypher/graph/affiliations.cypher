// One page of a collection's affiliations, by name.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $text        STRING   what a spelling holds, in small letters; '' for all
//             $after       LIST<ANY>  place of the last one of the page before, [] at the start
//             $limit       INTEGER  how many, at least 1
// Returns     node   MAP  properties
//             place  LIST<ANY>  [name, id]: what they are in order of
// Index       affiliation_name (schema/model.py)
// Try it      :param {collection: 'main', text: '', after: [], limit: 10}
CYPHER 25
MATCH (affiliation:Affiliation {collection: $collection})
WHERE affiliation.name IS NOT NULL
  AND ($text = '' OR any(name IN [affiliation.name] + coalesce(affiliation.aliases, []) WHERE toLower(name) CONTAINS $text))
WITH affiliation, [affiliation.name, affiliation.id] AS place
WHERE place > $after
ORDER BY place LIMIT $limit
RETURN affiliation { .* } AS node, place
ORDER BY place
