// Nodes of a label with their labels and properties, page by page, for the graph's digest.
//
// Parameters  $label    STRING   one of the model's
//             $after    STRING   id that the page comes after, '' for the first one
//             $limit    INTEGER  most rows
//             $vectors  BOOLEAN  whether vectors come too
// Returns     id  STRING  in order
//             labels  LIST<STRING>
//             properties  MAP  all but the vectors
//             has_vector  BOOLEAN
//             vector  LIST<FLOAT>  the one in use; null where none is wanted
// Slots       embedding
// Try it      :param {label: 'Paper', after: '', limit: 10, vectors: false}
CYPHER 25
MATCH (node:$($label))
WHERE node.id > $after
WITH node ORDER BY node.id LIMIT $limit
RETURN node.id AS id, labels(node) AS labels, node {.*, embedding: null, secondEmbedding: null} AS properties,
       node.embedding IS NOT NULL AS has_vector, CASE WHEN $vectors THEN node.embedding END AS vector
ORDER BY id
