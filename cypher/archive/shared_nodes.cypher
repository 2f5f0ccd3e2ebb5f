// Nodes of a label that are part of no paper, page by page.
//
// Parameters  $label  STRING   one of the model's
//             $after  STRING   id that the page comes after, '' for the first one
//             $limit  INTEGER  most rows
// Returns     id          STRING  in order
//             labels      LIST<STRING>
//             properties  MAP
// Try it      :param {label: 'Author', after: '', limit: 10}
CYPHER 25
MATCH (node:$($label))
WHERE node.id > $after
RETURN node.id AS id, labels(node) AS labels, properties(node) AS properties ORDER BY id LIMIT $limit
