// How many queries of users run for longer than they may, ended here or not.
//
// Parameters  $marks      MAP<STRING>  metadata of transactions with such queries
//             $oldest_ms  INTEGER      time that a query may take, in milliseconds
// Returns     n_queries   INTEGER
// Try it      paste as it is
//   :param marks => ({papergraph: 'user query'})
//   :param oldest_ms => 30000
SHOW TRANSACTIONS YIELD metaData, elapsedTime
WHERE metaData.papergraph = $marks.papergraph AND elapsedTime.milliseconds > $oldest_ms
RETURN count(*) AS n_queries
