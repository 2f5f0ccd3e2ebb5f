// Papers without a source.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      ingest the files of these papers again
// Order       403
// Try it      :param {limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE NOT EXISTS { (paper)-[:HAS_SOURCE]->(:Source) }
RETURN paper.id AS id, paper.id AS paper_id, 'has no source' AS problem
ORDER BY id LIMIT $limit
