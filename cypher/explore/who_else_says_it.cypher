// Who else says this? Passages of other papers whose vectors are nearest to a passage's, with their place.
//
// Parameters  $collection  STRING   where to look
//             $passage     STRING   id of a chunk
//             $least       FLOAT    score that it needs at least, in [0, 1]
//             $limit       INTEGER  how many passages to look at
// Returns     score    FLOAT  (1 + cosine) / 2, in [0, 1], higher is nearer; best first
//             paper    STRING  title
//             year     INTEGER  where known
//             section, passage, chunk_id  STRING
// Index       chunk_embedding (schema/model.py)
// Slots       embedding, chunk_embedding
// Try it      :param passage => head(COLLECT { MATCH (c:Chunk {collection: 'main', kind: 'body'})-[s:SIMILAR]-(d:Chunk) WHERE d.kind = 'body' WITH c, max(s.score) AS nearest ORDER BY nearest DESC, c.id LIMIT 1 RETURN c.id })
//             :param {collection: 'main', least: 0.7, limit: 20}
CYPHER 25
MATCH (said:Chunk {id: $passage})
WHERE said.embedding IS NOT NULL
CALL (said) {
  WITH said.embedding AS vector
  MATCH (chunk:Chunk)
    SEARCH chunk IN (
      VECTOR INDEX chunk_embedding
      FOR vector
      WHERE chunk.collection = $collection
      LIMIT $limit
    ) SCORE AS score
  RETURN chunk, score
}
WITH said, chunk, score WHERE chunk.paperId <> said.paperId AND chunk.kind <> 'references' AND score >= $least
MATCH (paper:Paper)-[:HAS_SECTION]->(section:Section)-[:HAS_CHUNK]->(chunk)
RETURN round(score, 3) AS score, paper.title AS paper, paper.year AS year, section.title AS section,
       chunk.text AS passage, chunk.id AS chunk_id
ORDER BY score DESC, paper, chunk_id
