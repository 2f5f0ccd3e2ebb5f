// Delete questions that nothing answers.
//
// Parameters  $ids  LIST<STRING>  ids of questions
// Returns     n_repaired  INTEGER
// Action      deleted
// Try it      :param {ids: ['q1']}
CYPHER 25
UNWIND $ids AS id
MATCH (question:Question {id: id})
WHERE NOT EXISTS { (question)-[:ANSWERED_BY]->() }
DETACH DELETE question
RETURN count(*) AS n_repaired
