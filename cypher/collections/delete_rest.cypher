// Delete what a collection has beside papers: what enrichments made, stored answers, finished jobs, and what is said of it.
//
// Parameters  $collection  STRING        its name; it holds no paper any more
//             $labels      LIST<STRING>  labels of what goes
// Returns     nothing
// Index       collection_id (schema/model.py)
// Try it      :param {collection: 'reading', labels: ['StoredAnswer']}
CYPHER 25
UNWIND $labels AS label
MATCH (node:$(label))
WHERE CASE WHEN node:Collection THEN node.id ELSE node.collection END = $collection
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 1000 ROWS
