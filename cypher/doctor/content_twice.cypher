// Papers of a collection with the same content.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph papers delete these papers by their ids, and ingest their files again
// Order       390
// Try it      :param {limit: 10}
CYPHER 25
MATCH (paper:Paper)
WITH paper.collection AS collection, paper.contentHash AS content, count(*) AS n_papers, min(paper.id) AS id,
     max(paper.id) AS other
WHERE n_papers > 1
RETURN id, id AS paper_id, 'has the content of ' + (n_papers - 1) + ' other, for example ' + other AS problem
ORDER BY id LIMIT $limit
