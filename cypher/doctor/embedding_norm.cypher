// Nodes with a vector that is not of length 1, which no search finds, or not where it belongs.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Slots       embedding
// Advice      ingest the files of these papers again; after papergraph doctor --fix that writes them anew
// Repair      mark_papers
// Order       510
// Try it      :param {limit: 10}
CYPHER 25
MATCH (node:Paper|Chunk|Question|Entity|Cluster)
WITH node, node.embedding AS vector  // read once, which takes longer than what is asked of it
WHERE vector IS :: LIST<FLOAT NOT NULL> NOT NULL
WITH node, reduce(sum = 0.0, number IN vector | sum + number * number) AS square
WHERE NOT abs(square - 1.0) < 0.01  // so that NaN is among them
RETURN node.id AS id, CASE WHEN node:Paper THEN node.id ELSE node.paperId END AS paper_id,
       'has a vector of length ' + sqrt(square) AS problem
ORDER BY id LIMIT $limit
