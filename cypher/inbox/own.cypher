// Papers of a collection with their vectors, as examples of what its readers keep; by id, which is a random order.
//
// Parameters  $collection  STRING   for example 'main'
//             $limit       INTEGER  most papers
// Returns     text    STRING       title and abstract
//             vector  LIST<FLOAT>  null if it has none
// Index       paper_listing (schema/model.py)
// Slots       embedding
// Try it      :param {collection: 'main', limit: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
RETURN paper.title + '\n' + coalesce(paper.abstract, '') AS text, paper.embedding AS vector
ORDER BY paper.id LIMIT $limit
