// Papers of a collection without text, by title.
//
// Parameters  $collection  STRING   for example 'main'
//             $year        INTEGER  year of publication, or null for any
//             $limit       INTEGER  number of papers
// Returns     paper  MAP  properties, the embedding left out
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main', year: null, limit: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WHERE paper.nChunks = 0 AND ($year IS NULL OR paper.year = $year)
RETURN paper { .*, embedding: null, secondEmbedding: null } AS paper
ORDER BY paper.title, paper.id LIMIT $limit
