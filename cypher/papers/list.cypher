// One page of a collection's papers by title, from a position on: those that pass a filter.
//
// Parameters  $collection   STRING        for example 'main'
//             $ids          LIST<STRING>  papers that pass, or null for all
//             $all_but      BOOLEAN       whether $ids are those that do not pass
//             $after_title  STRING        title of the last paper of the page before, '' at the start
//             $after_id     STRING        its id, '' at the start
//             $limit        INTEGER       papers on the page, at least 1
// Returns     paper  MAP  properties, vectors and line boxes left out; by title, then id
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main', ids: null, all_but: false, after_title: '', after_id: '', limit: 10}
CYPHER 25
MATCH (paper:Paper)
USING INDEX paper:Paper(collection, title, id)  // in its order, so that a page reads no more than it needs
WHERE paper.collection = $collection AND paper.title >= $after_title AND paper.id IS NOT NULL
  AND NOT (paper.title = $after_title AND paper.id <= $after_id)
  AND ($ids IS NULL OR (paper.id IN $ids) <> $all_but)
WITH paper ORDER BY paper.collection, paper.title, paper.id LIMIT $limit
RETURN paper { .*, embedding: null, secondEmbedding: null, lineBoxes: null } AS paper
ORDER BY paper.title, paper.id
