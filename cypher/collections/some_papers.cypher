// Some papers of a collection, and how many there are.
//
// Parameters  $collection  STRING   for example 'main'
//             $limit       INTEGER  most papers
// Returns     ids  LIST<STRING>
//             n    INTEGER
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main', limit: 10}
CYPHER 25
RETURN COLLECT {
  MATCH (paper:Paper {collection: $collection})
  RETURN paper.id ORDER BY paper.id LIMIT $limit
} AS ids, COUNT { (:Paper {collection: $collection}) } AS n
