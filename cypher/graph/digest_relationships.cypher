// Every relationship that starts at a node of the model, for the graph's digest.
//
// Parameters  $labels  LIST<STRING>  labels of the model
// Returns     start_id, type, end_id  STRING
//             properties  MAP
// Try it      :param {labels: ['Paper', 'Author']}
CYPHER 25
MATCH (start)-[relationship]->(end)
WHERE any(label IN labels(start) WHERE label IN $labels)
RETURN start.id AS start_id, type(relationship) AS type, end.id AS end_id, properties(relationship) AS properties
