// Questions related as duplicates that cannot be: of one paper, of two collections, or to one that is a duplicate itself.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix, then papergraph enrich
// Repair      part_duplicates
// Order       220
// Try it      :param {limit: 10}
CYPHER 25
MATCH (question:Question)-[:DUPLICATE_OF]->(other:Question)
WITH question, collect(other) AS others
WITH question, CASE
    WHEN size(others) > 1 THEN 'repeats more than one question'
    WHEN head(others).paperId = question.paperId THEN 'repeats a question of its own paper'
    WHEN head(others).collection <> question.collection THEN 'repeats a question of another collection'
    WHEN head(others).id >= question.id THEN 'repeats a question that comes after it'
    WHEN EXISTS { (:Question {id: head(others).id})-[:DUPLICATE_OF]->() } THEN 'repeats one that repeats another'
  END AS problem
WHERE problem IS NOT NULL
RETURN question.id AS id, question.paperId AS paper_id, problem
ORDER BY id LIMIT $limit
