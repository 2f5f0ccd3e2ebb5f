// Every node of the model with its labels and properties, for the graph's digest.
//
// Parameters  $labels  LIST<STRING>  labels of the model
// Returns     id  STRING
//             labels  LIST<STRING>
//             properties  MAP
// Try it      :param {labels: ['Paper', 'Author']}
CYPHER 25
MATCH (node)
WHERE any(label IN labels(node) WHERE label IN $labels)
RETURN node.id AS id, labels(node) AS labels, properties(node) AS properties
