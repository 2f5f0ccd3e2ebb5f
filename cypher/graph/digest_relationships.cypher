// The relationships that start at nodes of a label, page by page of these nodes, for the graph's digest.
//
// Parameters  $label  STRING   one of the model's
//             $after  STRING   id that the page comes after, '' for the first one
//             $limit  INTEGER  most rows
// Returns     id  STRING  of the node, in order
//             labels  LIST<STRING>
//             relationships  LIST<LIST<ANY>>  type, id of the end and properties of each
// Try it      :param {label: 'Paper', after: '', limit: 10}
CYPHER 25
MATCH (node:$($label))
WHERE node.id > $after
WITH node ORDER BY node.id LIMIT $limit
RETURN node.id AS id, labels(node) AS labels,
       COLLECT {
         MATCH (node)-[relationship]->(end)
         RETURN [type(relationship), end.id, properties(relationship)]
       } AS relationships
ORDER BY id
