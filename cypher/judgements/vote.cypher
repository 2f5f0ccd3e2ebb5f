// Write which pipelines a reader finds best for a question; the last word of each reader counts.
//
// Parameters  $id          STRING        of collection, question, pipelines and reader
//             $collection  STRING        that was searched
//             $question    STRING        that was asked
//             $pipelines   LIST<STRING>  those compared, in order of name
//             $best        LIST<STRING>  the best of them, in order of name
//             $rater       STRING        id of the key, or an address
// Returns     nothing
// Revises     nothing
// Index       judgement_id (schema/model.py)
// Try it      :param {id: 'j1', collection: 'main', question: 'What is tabu search?'}
//             :param {pipelines: ['default', 'fast'], best: ['fast'], rater: 'f1a2b3c4'}
CYPHER 25
MERGE (vote:Judgement {id: $id})
SET vote.collection = $collection, vote.question = $question, vote.pipelines = $pipelines, vote.best = $best,
    vote.rater = $rater, vote.judgedAt = datetime()
