// Spending of an account on a language model on a day.
//
// Parameters  $id  STRING  who and when, for example 'f1a2b3c4/2026-11-22'
// Returns     n_requests, tokens  INTEGER
//             cost  FLOAT  no row where nothing was spent
// Index       spending_id (schema/model.py)
// Try it      :param {id: 'f1a2b3c4/2026-11-22'}
CYPHER 25
MATCH (spending:Spending {id: $id})
RETURN spending.nRequests AS n_requests, spending.tokens AS tokens, spending.cost AS cost
