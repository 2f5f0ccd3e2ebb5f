// Nodes without a label, which no query of ours finds.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      look at it in papergraph db shell: it is not ours, and delete it there
// Order       50
// Try it      :param {limit: 10}
CYPHER 25
MATCH (node)
WHERE size(labels(node)) = 0
RETURN elementId(node) AS id, null AS paper_id, 'has ' + size(keys(node)) + ' properties' AS problem
ORDER BY id LIMIT $limit
