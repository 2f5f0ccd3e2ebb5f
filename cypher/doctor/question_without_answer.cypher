// Questions that nothing here answers.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      delete_questions
// Order       190
// Try it      :param {limit: 10}
CYPHER 25
MATCH (question:Question)
WHERE NOT EXISTS { (question)-[:ANSWERED_BY]->() }
RETURN question.id AS id, question.paperId AS paper_id, 'is answered by nothing' AS problem
ORDER BY id LIMIT $limit
