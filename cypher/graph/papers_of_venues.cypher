// One page of the papers for each of several venues, by title.
//
// Parameters  $ids          LIST<STRING>  ids of venues
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [title, id]: what they are in order of
// Index       venue_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (v:Venue) RETURN v.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (node:Paper)-[:PUBLISHED_IN]->(:Venue {id: parent_id})
  WHERE ($collections IS NULL OR node.collection IN $collections)
  WITH node, [node.title, node.id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN node { .*, embedding: null, secondEmbedding: null } AS node, place
}
RETURN parent_id, node, place
ORDER BY parent_id, place
