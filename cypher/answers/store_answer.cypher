// Store an answer, and delete the oldest ones of its account beyond the most that are kept.
//
// Parameters  $id          STRING   for example 'answer-0f2a'
//             $collection  STRING   for example 'main'
//             $principal       STRING   id of the key, or an address
//             $account     STRING   first key of the principal's chain of keys
//             $question    STRING   as it was asked
//             $content     STRING   the answer, as JSON
//             $most        INTEGER  answers of an account that are kept
// Returns     nothing
// Revises     nothing
// Index       stored_answer_id, stored_answer_account (schema/model.py)
// Try it      :param {id: 'answer-0f2a', collection: 'main', principal: 'f1a2b3c4', account: 'f1a2b3c4', question: 'Why?', content: '{}', most: 10}
CYPHER 25
MERGE (answer:StoredAnswer {id: $id})
SET answer.collection = $collection, answer.principal = $principal, answer.account = $account, answer.question = $question,
    answer.content = $content, answer.askedAt = datetime()
WITH answer
CALL (answer) {
  MATCH (old:StoredAnswer {account: answer.account})
  WHERE old.askedAt IS NOT NULL AND old.id <> answer.id
  WITH old ORDER BY old.askedAt DESC, old.id SKIP $most - 1
  OPTIONAL MATCH (rating:AnswerRating)-[:RATES]->(old)
  DETACH DELETE rating, old
}
