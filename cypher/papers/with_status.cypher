// Papers of a collection with an editorial status, the latest notice first.
//
// Parameters  $collection  STRING   for example 'main'
//             $status      STRING   retracted, concern, corrected or reinstated; null for any
//             $limit       INTEGER  number of papers
// Returns     paper  MAP  properties, vectors and line boxes left out
// Index       paper_status (schema/model.py)
// Try it      :param {collection: 'main', status: 'retracted', limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.collection = $collection AND paper.editorialStatus IS NOT NULL
  AND ($status IS NULL OR paper.editorialStatus = $status)
RETURN paper { .*, embedding: null, secondEmbedding: null, lineBoxes: null } AS paper
ORDER BY paper.editorialDate DESC, paper.id LIMIT $limit
