// Questions and chunks that two prototypes stand for, or one of another collection.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix, then papergraph enrich
// Repair      part_prototypes
// Order       230
// Try it      :param {limit: 10}
CYPHER 25
MATCH (one:Question|Chunk)
WITH one, COUNT { (one)<-[:STANDS_FOR]-(:Prototype) } AS n
WHERE n > 1 OR EXISTS {
  MATCH (one)<-[:STANDS_FOR]-(prototype:Prototype)
  WHERE prototype.collection <> one.collection
}
RETURN one.id AS id, one.paperId AS paper_id,
       CASE WHEN n > 1 THEN 'has ' + n + ' prototypes' ELSE 'has a prototype of another collection' END AS problem
ORDER BY id LIMIT $limit
