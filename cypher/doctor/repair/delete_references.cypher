// Delete references that belong to no paper.
//
// Parameters  $ids  LIST<STRING>  ids of references
// Returns     n_repaired  INTEGER
// Action      deleted, they belonged to no paper
// Try it      :param {ids: ['r1']}
CYPHER 25
UNWIND $ids AS id
MATCH (reference:Reference {id: id})
WHERE NOT EXISTS { (:Paper)-[:HAS_REFERENCE]->(reference) } AND NOT EXISTS { (:Paper {id: reference.paperId}) }
DETACH DELETE reference
RETURN count(*) AS n_repaired
