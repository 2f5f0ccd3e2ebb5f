// One page of papers for each of several authors, by title, from a position on.
//
// Parameters  $author_ids   LIST<STRING>  ids of authors
//             $after_title  STRING        title of the last paper of the page before, '' at the start
//             $after_id     STRING        its id, '' at the start
//             $limit        INTEGER       papers for each author, at least 1
//             $collections  LIST<STRING>  the collections that the principal reaches, or null for all
// Returns     author_id  STRING
//             paper  MAP  properties, the embedding left out; by title, then id
// Index       author_id (schema/model.py)
// Try it      :param author_ids => COLLECT { MATCH (a:Author) RETURN a.id LIMIT 3 }
//             :param {after_title: '', after_id: '', limit: 10}
//             :param {collections: null}
CYPHER 25
UNWIND $author_ids AS author_id
CALL (author_id) {
  MATCH (:Author {id: author_id})-[:WROTE]->(paper:Paper)
  WHERE (paper.title > $after_title OR (paper.title = $after_title AND paper.id > $after_id))
    AND ($collections IS NULL OR paper.collection IN $collections)
  WITH paper ORDER BY paper.title, paper.id LIMIT $limit
  RETURN paper { .*, embedding: null, secondEmbedding: null } AS paper
}
RETURN author_id, paper
ORDER BY author_id, paper.title, paper.id
