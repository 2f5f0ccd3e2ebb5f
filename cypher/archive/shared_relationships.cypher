// The relationships from nodes of a label that are part of no paper to others of this kind.
//
// Parameters  $label  STRING        one of the model's
//             $first  STRING        first id of the nodes
//             $last   STRING        last id of the nodes
// Returns     type        STRING
//             start_labels, end_labels  LIST<STRING>
//             start_id, end_id          STRING
//             properties  MAP
// Try it      :param {label: 'Entity', first: 'a', last: 'f'}
CYPHER 25
MATCH (start:$($label))
WHERE start.id >= $first AND start.id <= $last
MATCH (start)-[relationship]->(end)
WHERE NOT end:Paper AND NOT end:Section AND NOT end:Chunk AND NOT end:Reference AND NOT end:Question
RETURN type(relationship) AS type, labels(start) AS start_labels, start.id AS start_id, labels(end) AS end_labels,
       end.id AS end_id, properties(relationship) AS properties
