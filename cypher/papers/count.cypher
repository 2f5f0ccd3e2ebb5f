// How many papers a collection holds.
//
// Parameters  $collection  STRING  for example 'main'
// Returns     n_papers  INTEGER
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
RETURN count(paper) AS n_papers
