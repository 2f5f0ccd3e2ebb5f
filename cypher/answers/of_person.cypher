// Stored answers of a collection that were asked without a key, or by an account; in order of time.
//
// Parameters  $collection  STRING   for example 'main'
//             $account     STRING   first key of a chain of keys, or ''
// Returns     id  STRING
// Index       stored_answer_id (schema/model.py)
// Try it      :param {collection: 'main', account: ''}
CYPHER 25
MATCH (answer:StoredAnswer)
WHERE answer.id > '' AND answer.collection = $collection AND answer.askedAt IS NOT NULL
  AND (answer.account = $account OR NOT EXISTS { MATCH (:ApiKey {id: answer.account}) })
RETURN answer.id AS id
ORDER BY answer.askedAt, id
