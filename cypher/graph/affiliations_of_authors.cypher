// One page of the affiliations of the papers of each of several authors, those of most papers first.
//
// Parameters  $ids          LIST<STRING>  ids of authors
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [minus number of papers, name, id]: what they are in order of
// Index       author_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (a:Author) RETURN a.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (:Author {id: parent_id})-[:WROTE]->(:Paper)-[:AFFILIATED_WITH]->(node:Affiliation)
  WHERE ($collections IS NULL OR node.collection IN $collections)
  WITH node, [-count(*), node.name, node.id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN node { .* } AS node, place
}
RETURN parent_id, node, place
ORDER BY parent_id, place
