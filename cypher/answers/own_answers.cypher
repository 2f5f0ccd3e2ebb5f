// Stored answers of an account in a collection, the newest first.
//
// Parameters  $account     STRING   first key of the chain of keys, or the address of a caller without one
//             $collection  STRING   for example 'main'
//             $after       STRING   id of the last answer of the page before, '' for the first page
//             $limit       INTEGER  most rows
// Returns     id, question, content  STRING
//             asked_at  DATETIME
// Index       stored_answer_account, stored_answer_id (schema/model.py)
// Try it      :param {account: 'f1a2b3c4', collection: 'main', after: '', limit: 10}
CYPHER 25
OPTIONAL MATCH (last:StoredAnswer {id: $after})
MATCH (answer:StoredAnswer {account: $account})
WHERE answer.askedAt IS NOT NULL AND answer.collection = $collection
  AND ($after = '' OR answer.askedAt < last.askedAt OR (answer.askedAt = last.askedAt AND answer.id > last.id))
RETURN answer.id AS id, answer.question AS question, answer.content AS content, answer.askedAt AS asked_at
ORDER BY asked_at DESC, id LIMIT $limit
