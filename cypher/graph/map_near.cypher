// For papers without a place on the map, the nearest ones that have one; none while these vectors are not in use.
//
// Parameters  $ids  LIST<STRING>  ids of papers
//             $k    INTEGER       papers to look at for each, at least 1
// Returns     id  STRING
//             places  LIST<LIST<FLOAT>>  [x, y] of at most five, the nearest first
//             scores  LIST<FLOAT>        (1 + cosine) / 2 of each
// Index       paper_embedding (schema/model.py)
// Slots       first, embedding, paper_embedding
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {k: 20}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', state: 'active'})
UNWIND $ids AS id
MATCH (new:Paper {id: id})
WHERE new.embedding IS NOT NULL
CALL (new) {
  WITH new.embedding AS vector, new.collection AS collection
  MATCH (paper:Paper)
    SEARCH paper IN (
      VECTOR INDEX paper_embedding
      FOR vector
      WHERE paper.collection = collection
      LIMIT $k
    ) SCORE AS score
  WITH paper, score WHERE paper.mapPlace IS NOT NULL
  ORDER BY score DESC, paper.id LIMIT 5
  RETURN collect(paper.mapPlace) AS places, collect(score) AS scores
}
WITH id, places, scores WHERE size(places) > 0
RETURN id, places, scores
ORDER BY id
