// Papers whose vectors are nearest to those of each of several papers, in the same collection; none while these vectors
// are not in use.
//
// Parameters  $ids          LIST<STRING>  ids of papers
//             $k            INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node    MAP  properties, vectors left out
//             score   FLOAT  (1 + cosine) / 2, in [0, 1], higher is nearer; best first
//             shared  LIST<MAP>  nothing: vectors share no nodes
// Index       paper_embedding (schema/model.py)
// Slots       first, embedding, paper_embedding
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {k: 5, collections: null}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', state: 'active'})
UNWIND $ids AS parent_id
MATCH (from:Paper {id: parent_id})
WHERE from.embedding IS NOT NULL AND ($collections IS NULL OR from.collection IN $collections)
CALL (from) {
  WITH from.embedding AS vector, from.collection AS collection
  MATCH (paper:Paper)
    SEARCH paper IN (
      VECTOR INDEX paper_embedding
      FOR vector
      WHERE paper.collection = collection
      LIMIT $k + 1
    ) SCORE AS score
  RETURN paper, score
}
WITH parent_id, from, paper, score WHERE paper <> from
RETURN parent_id, paper { .*, embedding: null, secondEmbedding: null } AS node, score, [] AS shared
ORDER BY parent_id, score DESC, paper.id
