// Queries of users that Neo4j does not end, so that Cypher of users is paused.
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph serve restarts a local Neo4j by itself; restart another one (with Docker: docker compose restart neo4j)
// Order       33
// Try it      :param {limit: 10}
CYPHER 25
SHOW TRANSACTIONS YIELD transactionId, metaData, elapsedTime
WHERE metaData.papergraph = 'user query' AND elapsedTime.seconds > 80  // a query may take 50 s, its end 20
RETURN transactionId AS id, null AS paper_id, 'still runs after its time limit' AS problem
ORDER BY id LIMIT $limit
