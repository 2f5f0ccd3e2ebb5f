// Chunks of a sample that are not found by their own vector; of equal vectors any ten will do.
//
// Parameters  $limit      INTEGER  most rows
//             $from       STRING   id from which on chunks are taken as a sample; a random one gives a random sample
//             $n_samples  INTEGER  how many chunks are looked for
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Index       chunk_embedding (schema/model.py)
// Slots       first, embedding, chunk_embedding
// Advice      drop the index chunk_embedding, and papergraph doctor --fix makes it again
// Order       530
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
MATCH (model:EmbeddingModel {id: 'first'})
WITH chunk, CASE
    WHEN chunk.embedding IS NOT :: LIST<FLOAT NOT NULL> NOT NULL OR size(chunk.embedding) <> model.dimension THEN 0.0
    ELSE reduce(sum = 0.0, number IN chunk.embedding | sum + number * number)
  END AS square
WHERE abs(square - 1.0) < 0.01  // with another vector one cannot search
CALL (chunk) {
  MATCH (hit:Chunk)
    SEARCH hit IN (
      VECTOR INDEX chunk_embedding
      FOR chunk.embedding
      WHERE hit.collection = chunk.collection
      LIMIT 10
    ) SCORE AS score
  RETURN count(CASE WHEN hit.id = chunk.id THEN 1 END) AS n_found, min(score) AS worst, count(hit) AS n_hits
}
WITH chunk, n_found, worst, n_hits
WHERE n_found = 0 AND (n_hits < 10 OR worst < 0.99999)
RETURN chunk.id AS id, chunk.paperId AS paper_id, 'is not among the ' + n_hits + ' nearest to itself' AS problem
ORDER BY id LIMIT $limit
