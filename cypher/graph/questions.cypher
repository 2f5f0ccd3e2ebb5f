// One page of a collection's questions, in the order of ids.
//
// Parameters  $collection  STRING     where to look, for example 'main'
//             $generator   STRING     only those made so: model, template or extractive; null for all
//             $review      STRING     only those accepted or edited, or with 'none' not reviewed; null for all
//             $after       LIST<ANY>  place of the last one of the page before, [] at the start
//             $limit       INTEGER    how many, at least 1
// Returns     node   MAP  properties, vectors left out
//             place  LIST<ANY>  [id]: what they are in order of
// Index       question_id (schema/model.py)
// Try it      :param {collection: 'main', generator: null, review: null, after: [], limit: 10}
CYPHER 25
MATCH (question:Question)
WHERE question.collection = $collection AND ($generator IS NULL OR question.generator = $generator)
  AND ($review IS NULL OR coalesce(question.review, 'none') = $review)
WITH question, [question.id] AS place
WHERE place > $after
ORDER BY place LIMIT $limit
RETURN question { .*, embedding: null, secondEmbedding: null } AS node, place
ORDER BY place
