// Questions without a text, without what made them, or without a vector, which no search finds.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Slots       embedding
// Advice      papergraph doctor --fix, then papergraph enrich
// Repair      unmark_questions
// Order       210
// Try it      :param {limit: 10}
CYPHER 25
MATCH (question:Question)
WITH question, [part IN [
    ['text', question.text IS NULL], ['generator', question.generator IS NULL],
    ['collectionTerm', question.collectionTerm IS NULL], ['vector', question.embedding IS NULL]
  ] WHERE part[1] | part[0]] AS missing
WHERE missing <> []
RETURN coalesce(question.id, elementId(question)) AS id, question.paperId AS paper_id,
       'lacks ' + reduce(text = head(missing), name IN tail(missing) | text + ', ' + name) AS problem
ORDER BY id LIMIT $limit
