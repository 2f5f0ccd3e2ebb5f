// Chunks of a sample that are not found by their own first words; of equal ones any ten will do.
//
// Parameters  $limit      INTEGER  most rows
//             $from       STRING   id from which on chunks are taken as a sample; a random one gives a random sample
//             $n_samples  INTEGER  how many chunks are looked for
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       chunk_text (schema/model.py)
// Advice      drop the index chunk_text, and papergraph doctor --fix makes it again
// Order       580
// Try it      :param {limit: 10, from: '8', n_samples: 100}
CYPHER 25
CALL () {
  MATCH (chunk:Chunk)
  WHERE chunk.id >= $from
  RETURN chunk ORDER BY chunk.id LIMIT $n_samples
  UNION
  MATCH (chunk:Chunk)
  WHERE chunk.id < $from
  RETURN chunk ORDER BY chunk.id LIMIT $n_samples
}
WITH chunk LIMIT $n_samples
WITH chunk WHERE chunk.text IS :: STRING NOT NULL AND chunk.collectionTerm =~ '[a-z0-9]+'
WITH chunk, reduce(words = '', word IN split(chunk.text, ' ')[..8] | words + word + ' ') AS words
WITH chunk, replace(replace(words, '\\', '\\\\'), '"', '\\"') AS words
CALL (chunk, words) {
  MATCH (hit:Chunk)
    SEARCH hit IN (
      FULLTEXT INDEX chunk_text
      FOR '+collectionTerm:' + chunk.collectionTerm + ' +text:"' + words + '"'
      LIMIT 10
    )
  RETURN count(CASE WHEN hit.id = chunk.id THEN 1 END) AS n_found, count(hit) AS n_hits
}
WITH chunk, n_found, n_hits
WHERE n_found = 0 AND n_hits < 10
RETURN chunk.id AS id, chunk.paperId AS paper_id, 'is not found by its own first words' AS problem
ORDER BY id LIMIT $limit
