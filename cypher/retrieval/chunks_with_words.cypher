// In how many chunks each of several words stands, as the full-text index reads words.
//
// A number that was counted while the store had as many chunks is taken over.
//
// Parameters  $words   LIST<MAP>  each word with its full-text query: {word: STRING, fulltext_query: STRING,
//                                 n_chunks: INTEGER or null, n_in_store: INTEGER or null}, the query in Lucene's
//                                 syntax, made safe by server/retrieval/lucene.py, and the numbers counted before
//             $n_most  INTEGER    chunks that are counted for a word at most, at least 1
// Returns     word  STRING
//             n_chunks  INTEGER  0 for a word that is nowhere, and for one that the index leaves out
//             n_in_store  INTEGER  chunks of all collections, the same in each row
// Index       chunk_text (schema/model.py)
// Source      document frequency: Spärck Jones 1972, A statistical interpretation of term specificity, doi:10.1108/eb026526
// Try it      :param {words: [{word: 'annealing', fulltext_query: 'text:(annealing)'}], n_most: 10000}
CYPHER 25
CALL () {
  MATCH (chunk:Chunk)
  RETURN count(chunk) AS n_in_store
}
UNWIND $words AS asked
CALL (asked, n_in_store) {
  FILTER asked.n_in_store IS NULL OR asked.n_in_store <> n_in_store
  MATCH (chunk:Chunk)
    SEARCH chunk IN (
      FULLTEXT INDEX chunk_text
      FOR asked.fulltext_query
      LIMIT $n_most
    ) SCORE AS score
  FILTER score > 0
  RETURN count(*) AS n_counted
}
RETURN asked.word AS word,
       CASE asked.n_in_store WHEN n_in_store THEN asked.n_chunks ELSE n_counted END AS n_chunks,
       n_in_store
