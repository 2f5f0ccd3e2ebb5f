// Whether a collection holds any paper.
//
// Parameters  $collection  STRING  for example 'main'
// Returns     found  BOOLEAN
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
RETURN EXISTS { (:Paper {collection: $collection}) } AS found
