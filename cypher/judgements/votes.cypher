// Readers' votes for pipelines on questions of a collection, the question with the newest vote first.
//
// Parameters  $collection  STRING   for example 'main'
//             $question    STRING   only this one; null for all
//             $limit       INTEGER  most questions, each with pipelines that were compared for it
// Returns     collection, question  STRING
//             pipelines  LIST<STRING>  those compared, in order of name
//             votes  LIST<MAP>  rater, best (LIST<STRING>), voted_at; in order of rater
// Index       judgement_question (schema/model.py)
// Try it      :param {collection: 'main', question: null, limit: 10}
CYPHER 25
MATCH (vote:Judgement {collection: $collection})
WHERE vote.pipelines IS NOT NULL AND ($question IS NULL OR vote.question = $question)
WITH vote
ORDER BY vote.rater
WITH vote.question AS question, vote.pipelines AS pipelines, max(vote.judgedAt) AS last,
     collect(vote {.rater, .best, voted_at: vote.judgedAt}) AS votes
RETURN $collection AS collection, question, pipelines, votes
ORDER BY last DESC, question, pipelines
LIMIT $limit
