// Chunks of some papers, or of all but some, that match a full-text query best, by BM25 as over the whole collection.
//
// The first $n_looked that match are ranked, and then others are left out: give as many as there are chunks to be sure
// that the best of these papers are among them. Where $k come back, they are the best. A full-text query that names the
// papers itself, as terms of weight 0, matches no others.
//
// Parameters  $fulltext_query  STRING        in Lucene's syntax, made safe by server/retrieval/lucene.py
//             $n_looked        INTEGER       how many matches to look through, at least 1
//             $paper_ids       LIST<STRING>  ids of papers
//             $all_but_papers  BOOLEAN       whether these are left out, or all others
//             $chunk_ids       LIST<STRING>  ids of chunks
//             $all_but_chunks  BOOLEAN       whether these are left out, or all others
//             $k               INTEGER       how many chunks, at least 1
// Returns     chunk_id, paper_id  STRING
//             score  FLOAT  BM25, above 0, no upper bound, comparable within one query only; best first
// Index       chunk_text (schema/model.py)
// Source      Robertson and Zaragoza 2009, The Probabilistic Relevance Framework, doi:10.1561/1500000019
// Try it      :param {fulltext_query: 'text:(quantum annealing)', n_looked: 1000, k: 5}
//             :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {all_but_papers: false, chunk_ids: [], all_but_chunks: true}
CYPHER 25
MATCH (chunk:Chunk)
  SEARCH chunk IN (
    FULLTEXT INDEX chunk_text
    FOR $fulltext_query
    LIMIT $n_looked
  ) SCORE AS score
WITH chunk, score
WHERE score > 0 AND (chunk.paperId IN $paper_ids) <> $all_but_papers AND (chunk.id IN $chunk_ids) <> $all_but_chunks
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, score
ORDER BY score DESC, chunk_id
LIMIT $k
