// How many papers a collection holds.
//
// Parameters  $collection  STRING  for example 'main'
// Returns     n_papers  INTEGER
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (paper:Paper)
USING INDEX paper:Paper(collection, title, id)  // otherwise all papers of all collections are read
WHERE paper.collection = $collection AND paper.title IS NOT NULL AND paper.id IS NOT NULL
RETURN count(paper) AS n_papers
