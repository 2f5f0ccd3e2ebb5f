// How many questions and chunks with a vector a collection has.
//
// Parameters  $collection  STRING  where to look, for example 'main'
// Returns     n_questions, n_chunks  INTEGER
// Slots       embedding
// Try it      :param {collection: 'main'}
CYPHER 25
RETURN COUNT { MATCH (q:Question) WHERE q.collection = $collection AND q.embedding IS NOT NULL } AS n_questions,
       COUNT { MATCH (c:Chunk) WHERE c.collection = $collection AND c.embedding IS NOT NULL } AS n_chunks
