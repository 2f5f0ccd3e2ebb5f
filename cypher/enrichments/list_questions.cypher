// A page of a collection's questions in the order of ids, with where they are answered.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $paper_id    STRING   only those of this paper; null for all
//             $generator   STRING   only those made so: model, written, template or extractive; null for all
//             $review      STRING   only those accepted or edited, or with 'none' not reviewed; null for all
//             $after       STRING   id of the last question of the page before, '' at the start
//             $limit       INTEGER  questions, at least 1
// Returns     id, text, answer, generator, model, review, original, paper_id, paper, group_id, duplicate_of  STRING
//             chunk_ids    LIST<STRING>  chunks that answer it, in the order of the paper
//             metadata     LIST<STRING>  what it was made from, each as field: value
//             spans_paper  BOOLEAN       whether the paper as a whole answers it
// Index       question_id (schema/model.py)
// Try it      :param {collection: 'main', paper_id: null, generator: null, review: null, after: '', limit: 10}
CYPHER 25
MATCH (question:Question)
WHERE question.id > $after AND question.collection = $collection
  AND ($paper_id IS NULL OR question.paperId = $paper_id)
  AND ($generator IS NULL OR question.generator = $generator)
  AND ($review IS NULL OR coalesce(question.review, 'none') = $review)
WITH question ORDER BY question.id LIMIT $limit
MATCH (paper:Paper {id: question.paperId})
RETURN question.id AS id, question.text AS text, question.answer AS answer, question.generator AS generator,
       question.model AS model, question.review AS review, question.original AS original,
       paper.id AS paper_id, paper.title AS paper, question.groupId AS group_id,
       coalesce(question.metadata, []) AS metadata,
       head(COLLECT { MATCH (question)-[:DUPLICATE_OF]->(other:Question) RETURN other.id }) AS duplicate_of,
       COLLECT { MATCH (question)-[:ANSWERED_BY]->(c:Chunk) RETURN c.id ORDER BY c.ordinal } AS chunk_ids,
       EXISTS { (question)-[:ANSWERED_BY]->(paper) } AS spans_paper
ORDER BY id
