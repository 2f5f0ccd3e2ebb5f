// Questions of a collection with the papers that readers judged for them, the one with the newest judgement first.
//
// Judgements of papers that are no longer there are left out.
//
// Parameters  $collection  STRING   for example 'main'
//             $question    STRING   only this one; null for all
//             $rater       STRING   whose judgements are told apart, '' for nobody's
//             $limit       INTEGER  most questions
// Returns     collection, question  STRING
//             papers  LIST<MAP>  paper_id, n_relevant, n_irrelevant, mine; in order of id
// Index       judgement_question (schema/model.py)
// Try it      :param {collection: 'main', question: null, rater: '', limit: 10}
CYPHER 25
MATCH (judgement:Judgement {collection: $collection})
WHERE $question IS NULL OR judgement.question = $question
MATCH (paper:Paper {id: judgement.paperId})
WITH judgement.question AS question, paper.id AS paper_id, collect(judgement) AS judgements,
     max(judgement.judgedAt) AS last
ORDER BY paper_id
WITH question, max(last) AS last,
     collect({
       paper_id: paper_id,
       n_relevant: size([one IN judgements WHERE one.relevant]),
       n_irrelevant: size([one IN judgements WHERE NOT one.relevant]),
       mine: head([one IN judgements WHERE one.rater = $rater | one.relevant])
     }) AS papers
RETURN $collection AS collection, question, papers
ORDER BY last DESC, question
LIMIT $limit
