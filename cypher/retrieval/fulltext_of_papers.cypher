// Chunks of the given papers that match a full-text query best, by BM25 as over the whole collection.
//
// The index cannot be narrowed to papers, so all that match are ranked, and then those of other papers are left out:
// give $n_chunks as many chunks as there are, else the best of these papers may not be among them.
//
// Parameters  $fulltext_query  STRING        in Lucene's syntax, made safe by server/retrieval/lucene.py
//             $n_chunks        INTEGER       how many matches to look through, at least 1
//             $paper_ids       LIST<STRING>  ids of the papers to look in
//             $k               INTEGER       how many chunks, at least 1
// Returns     chunk_id, paper_id  STRING
//             score  FLOAT  BM25, at least 0, no upper bound, comparable within one query only; best first
// Index       chunk_text (schema/migrations/0003_fulltext_indexes.cypher)
// Source      Robertson and Zaragoza 2009, The Probabilistic Relevance Framework, doi:10.1561/1500000019
// Try it      :param {fulltext_query: 'text:(quantum annealing)', n_chunks: 1000, k: 5}
//             :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
CYPHER 25
MATCH (chunk:Chunk)
  SEARCH chunk IN (
    FULLTEXT INDEX chunk_text
    FOR $fulltext_query
    LIMIT $n_chunks
  ) SCORE AS score
WHERE chunk.paperId IN $paper_ids
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, score
ORDER BY score DESC, chunk_id
LIMIT $k
