// A page of a collection's questions in the order of ids: the beginning of each vector, and what it was found to repeat.
//
// Parameters  $collection    STRING   where to look, for example 'main'
//             $n_components  INTEGER  how much of each vector
//             $after         STRING   id of the last question of the page before, '' at the start
//             $limit         INTEGER  questions, at least 1
// Returns     id, paper_id, comparison_config_hash  STRING
//             head    LIST<FLOAT>  first components of its vector
//             leader  STRING  id of the question that it asks the same as; null for most
//             score   FLOAT   cosine of both
// Index       question_id (schema/model.py)
// Slots       embedding
// Try it      :param {collection: 'main', n_components: 64, after: '', limit: 10}
CYPHER 25
MATCH (question:Question)
WHERE question.id > $after AND question.collection = $collection AND question.embedding IS NOT NULL
WITH question ORDER BY question.id LIMIT $limit
OPTIONAL MATCH (question)-[same:DUPLICATE_OF]->(other:Question)
WITH question, head(collect(other.id)) AS leader, head(collect(same.score)) AS score
RETURN question.id AS id, question.paperId AS paper_id, question.comparisonConfigHash AS comparison_config_hash,
       question.embedding[0..$n_components] AS head, leader, score
ORDER BY id
