// One page of references for each of several papers, in the order of their lists.
//
// Parameters  $ids          LIST<STRING>  ids of papers
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [ordinal]: what they are in order of
// Index       reference_position (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (reference:Reference {paperId: parent_id})
  WHERE reference.ordinal >= 0 AND ($collections IS NULL OR reference.collection IN $collections)
  WITH reference, [reference.ordinal] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN reference { .* } AS node, place
}
RETURN parent_id, node, place
ORDER BY parent_id, place
