// Which full-text queries of a single word match any chunk.
//
// Lucene takes four times as long for the best match of a query with required terms of weight 0 as for the best 100.
//
// Parameters  $fulltext_queries  LIST<STRING>  in Lucene's syntax, made safe by server/retrieval/lucene.py
// Returns     place  INTEGER  place in the list of a query with a match, from 0
// Index       chunk_text (schema/model.py)
// Try it      :param {fulltext_queries: ['text:annealing', 'text:xyzzy']}
CYPHER 25
UNWIND range(0, size($fulltext_queries) - 1) AS place
WITH place, $fulltext_queries[place] AS fulltext_query
CALL (fulltext_query) {
  MATCH (chunk:Chunk)
    SEARCH chunk IN (
      FULLTEXT INDEX chunk_text
      FOR fulltext_query
      LIMIT 100
    ) SCORE AS score
  WITH score
  WHERE score > 0
  RETURN true AS found
    LIMIT 1
}
RETURN place
ORDER BY place
