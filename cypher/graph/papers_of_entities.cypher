// One page of papers that mention them for each of several entities, by title.
//
// Parameters  $ids          LIST<STRING>  ids of entities
//             $after        LIST<ANY>     place of the last one of the page before, [] at the start
//             $limit        INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node   MAP  properties, vectors left out
//             place  LIST<ANY>  [title, id]: what they are in order of
// Index       entity_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (e:Entity) RETURN e.id LIMIT 3 }
//             :param {after: [], limit: 10, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (chunk:Chunk)-[:MENTIONS]->(:Entity {id: parent_id})
  WITH DISTINCT chunk.paperId AS paper_id
  MATCH (paper:Paper {id: paper_id})
  WHERE ($collections IS NULL OR paper.collection IN $collections)
  WITH paper, [paper.title, paper.id] AS place
  WHERE place > $after
  ORDER BY place LIMIT $limit
  RETURN paper { .*, embedding: null, secondEmbedding: null } AS node, place
}
RETURN parent_id, node, place
ORDER BY parent_id, place
