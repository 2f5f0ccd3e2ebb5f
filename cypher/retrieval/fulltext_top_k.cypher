// Chunks that match a full-text query best, by BM25; the query itself names the collection, as one of its terms.
//
// Terms of weight 0 give no score: where the analyzer drops all words of a query, as stop words, nothing is found.
//
// Parameters  $fulltext_query  STRING   in Lucene's syntax, made safe by server/retrieval/lucene.py
//             $k               INTEGER  how many chunks, at least 1
// Returns     chunk_id, paper_id  STRING
//             score  FLOAT  BM25, above 0, no upper bound, comparable within one query only; best first
// Index       chunk_text (schema/model.py)
// Source      Robertson and Zaragoza 2009, The Probabilistic Relevance Framework, doi:10.1561/1500000019
// Try it      :param {fulltext_query: 'text:(quantum annealing)', k: 5}
CYPHER 25
MATCH (chunk:Chunk)
  SEARCH chunk IN (
    FULLTEXT INDEX chunk_text
    FOR $fulltext_query
    LIMIT $k
  ) SCORE AS score
WITH chunk, score
WHERE score > 0
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, score
ORDER BY score DESC, chunk_id
