// Write whether a reader finds a paper relevant to a question; the last word of each reader counts.
//
// Parameters  $id        STRING   of paper, question and reader
//             $paper_id  STRING   that is judged
//             $question  STRING   that was asked
//             $rater     STRING   id of the key, or an address
//             $relevant  BOOLEAN  whether it is
// Returns     nothing
// Revises     nothing
// Index       judgement_id (schema/model.py)
// Try it      :param paper_id => head(COLLECT { MATCH (p:Paper {collection: 'main'}) RETURN p.id LIMIT 1 })
//             :param {id: 'j1', question: 'What is tabu search?', rater: 'f1a2b3c4', relevant: true}
CYPHER 25
MATCH (paper:Paper {id: $paper_id})
MERGE (judgement:Judgement {id: $id})
SET judgement.collection = paper.collection, judgement.paperId = paper.id, judgement.question = $question,
    judgement.rater = $rater, judgement.relevant = $relevant, judgement.judgedAt = datetime()
