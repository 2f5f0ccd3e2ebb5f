// Nodes of the model that have no id, and what starts at them, for the graph's checksum; a sound graph has none.
//
// Parameters  $label  STRING  one of the model's
// Returns     labels  LIST<STRING>
//             properties  MAP  all but the vectors
//             relationships  LIST<LIST<ANY>>  type, id of the end and properties of each
// Try it      :param {label: 'Paper'}
CYPHER 25
MATCH (node:$($label))
WHERE node.id IS NULL
RETURN labels(node) AS labels, node {.*, embedding: null, secondEmbedding: null} AS properties,
       COLLECT {
         MATCH (node)-[relationship]->(end)
         RETURN [type(relationship), end.id, properties(relationship)]
       } AS relationships
