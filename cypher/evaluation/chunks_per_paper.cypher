// How many papers and chunks a collection has.
//
// Parameters  $collection  STRING  where they stand
// Returns     n_papers  INTEGER
//             n_chunks  INTEGER  parents aside
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
RETURN count(paper) AS n_papers, coalesce(sum(paper.nChunks), 0) AS n_chunks
