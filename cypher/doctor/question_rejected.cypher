// Questions that stand although somebody rejected them.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      reject_questions
// Order       200
// Try it      :param {limit: 10}
CYPHER 25
MATCH (review:Review)
WHERE review.kind = 'question' AND review.decision = 'rejected'
WITH collect(review.collection + ' ' + toLower(head(review.about))) AS rejected
MATCH (question:Question)
WHERE question.original IS NULL AND question.collection + ' ' + toLower(question.text) IN rejected
RETURN question.id AS id, question.paperId AS paper_id, 'was rejected' AS problem
ORDER BY id LIMIT $limit
