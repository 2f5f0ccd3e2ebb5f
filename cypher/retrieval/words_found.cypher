// Which full-text queries of a single word match any chunk.
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
      LIMIT 1
    ) SCORE AS score
  WITH score
  WHERE score > 0
  RETURN 1 AS found
}
RETURN place
ORDER BY place
