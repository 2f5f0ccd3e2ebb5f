// Whether a collection holds any paper.
//
// Parameters  $collection  STRING  where to look, for example 'main'
// Returns     has_papers  BOOLEAN
// Index       paper_key (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
RETURN EXISTS {
  MATCH (paper:Paper {collection: $collection})
  WHERE paper.key > ''
} AS has_papers
