// Delete prototypes; what they stood for stays.
//
// Parameters  $ids  LIST<STRING>  ids of prototypes
// Returns     nothing
// Revises     itself
// Index       prototype_id (schema/model.py)
// Try it      :param {ids: ['o1']}
CYPHER 25
UNWIND $ids AS id
MATCH (prototype:Prototype {id: id})
WITH prototype ORDER BY elementId(prototype)
SET prototype.ordinal = prototype.ordinal  // takes the lock before what it stands for is read
WITH collect(prototype) AS prototypes
CALL (prototypes) {
  UNWIND prototypes AS prototype
  MATCH (prototype)-[:STANDS_FOR]->(one:Question|Chunk)
  WITH DISTINCT one.paperId AS id
  MATCH (paper:Paper {id: id})
  WITH paper ORDER BY elementId(paper)
  SET paper.revision = randomUUID()
}
UNWIND prototypes AS prototype
DETACH DELETE prototype
