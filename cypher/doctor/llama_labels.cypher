// Chunks and entities without the labels that LlamaIndex finds them by.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      label_nodes
// Order       110
// Try it      :param {limit: 10}
CYPHER 25
MATCH (node:Chunk|Entity)
WHERE NOT node:__Node__ OR node:Entity AND NOT node:__Entity__
RETURN node.id AS id, node.paperId AS paper_id, 'has the labels ' + head(labels(node)) AS problem
ORDER BY id LIMIT $limit
