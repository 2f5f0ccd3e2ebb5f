// The papers of a collection with the keys of the documents they were made of.
//
// Parameters  $collection  STRING  for example 'main'
// Returns     id    STRING
//             keys  LIST<STRING>  several for documents that say the same
//             n_chunks  INTEGER
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
RETURN paper.id AS id, paper.keys AS keys, paper.nChunks AS n_chunks
