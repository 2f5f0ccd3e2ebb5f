// How many questions of a collection each generator made, how many were reviewed, and how many repeat another one.
//
// Parameters  $collection  STRING  where to look, for example 'main'
// Returns     generator  STRING
//             n, n_reviewed, n_duplicates  INTEGER
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (question:Question)
WHERE question.collection = $collection
RETURN question.generator AS generator, count(*) AS n, count(question.review) AS n_reviewed,
       sum(CASE WHEN EXISTS { (question)-[:DUPLICATE_OF]->() } THEN 1 ELSE 0 END) AS n_duplicates
ORDER BY generator
