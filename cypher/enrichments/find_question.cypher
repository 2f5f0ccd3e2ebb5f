// A question with where it is answered.
//
// Parameters  $collection  STRING  where it stands, for example 'main'
//             $id          STRING  its id
// Returns     id, text, answer, generator, model, review, original, paper_id, paper, group_id, duplicate_of  STRING
//             chunk_ids    LIST<STRING>  chunks that answer it, in the order of the paper
//             metadata     LIST<STRING>  what it was made from, each as field: value
//             spans_paper  BOOLEAN       whether the paper as a whole answers it
// Index       question_id (schema/model.py)
// Try it      :param {collection: 'main', id: 'q1'}
CYPHER 25
MATCH (question:Question {id: $id})
WHERE question.collection = $collection
MATCH (paper:Paper {id: question.paperId})
RETURN question.id AS id, question.text AS text, question.answer AS answer, question.generator AS generator,
       question.model AS model, question.review AS review, question.original AS original,
       paper.id AS paper_id, paper.title AS paper, question.groupId AS group_id,
       coalesce(question.metadata, []) AS metadata,
       head(COLLECT { MATCH (question)-[:DUPLICATE_OF]->(other:Question) RETURN other.id }) AS duplicate_of,
       COLLECT { MATCH (question)-[:ANSWERED_BY]->(c:Chunk) RETURN c.id ORDER BY c.ordinal } AS chunk_ids,
       EXISTS { (question)-[:ANSWERED_BY]->(paper) } AS spans_paper
