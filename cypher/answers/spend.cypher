// Add what a question took to an account's spending, and forget what was spent long ago.
//
// Parameters  $id          STRING   who and when, for example 'f1a2b3c4/2026-11-22'
//             $account     STRING   id of a key, an invitation, or an address
//             $day         STRING   in UTC
//             $n_requests  INTEGER  requests that were sent
//             $tokens      INTEGER  of input and output
//             $cost        FLOAT    in the currency of the prices
//             $before      STRING   days before this one are forgotten
// Returns     tokens  INTEGER  of the day so far
//             cost    FLOAT
// Revises     nothing
// Index       spending_id (schema/model.py)
// Try it      :param {id: 'f1a2b3c4/2026-11-22', account: 'f1a2b3c4', day: '2026-11-22', before: '2026-08-01'}
//             :param {n_requests: 1, tokens: 10, cost: 0.1}
CYPHER 25
MERGE (spending:Spending {id: $id})
  ON CREATE SET spending.account = $account, spending.day = $day, spending.nRequests = 0, spending.tokens = 0,
                spending.cost = 0.0
SET spending.nRequests = spending.nRequests + $n_requests, spending.tokens = spending.tokens + $tokens,
    spending.cost = spending.cost + $cost
WITH spending
CALL (spending) {
  MATCH (old:Spending {account: spending.account})
  WHERE old.day < $before
  DELETE old
}
RETURN spending.tokens AS tokens, spending.cost AS cost
