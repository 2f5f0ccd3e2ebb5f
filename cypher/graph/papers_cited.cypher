// One page of papers that they cite for each of several papers, by title.
//
// Parameters  $ids          LIST<STRING>  ids of papers
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [title, id]: what they are in order of
// Index       paper_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (:Paper {id: parent_id})-[:CITES]->(paper:Paper)
  WHERE ($collections IS NULL OR paper.collection IN $collections)
  WITH paper, [paper.title, paper.id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN paper { .*, embedding: null, secondEmbedding: null } AS node, place
}
RETURN parent_id, node, place
ORDER BY parent_id, place
