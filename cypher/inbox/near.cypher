// Papers of the same collection that are nearest to items of an inbox; none while the model of their vectors is not in
// use.
//
// Parameters  $ids  LIST<STRING>  ids of items
//             $k    INTEGER       papers of each, at least 1
// Returns     id        STRING  that of the item
//             paper_id  STRING
//             title     STRING
//             score     FLOAT   (1 + cosine) / 2, in [0, 1]; best first
// Index       paper_embedding (schema/model.py)
// Slots       first, paper_embedding
// Try it      :param {ids: ['a1'], k: 3}
CYPHER 25
MATCH (model:EmbeddingModel {id: 'first', state: 'active'})
UNWIND $ids AS id
MATCH (item:InboxItem {id: id})
WHERE item.vectorModel = model.sha256
CALL (item) {
  WITH item.vector AS vector, item.collection AS collection
  MATCH (paper:Paper)
    SEARCH paper IN (
      VECTOR INDEX paper_embedding
      FOR vector
      WHERE paper.collection = collection
      LIMIT $k
    ) SCORE AS score
  RETURN paper, score
}
RETURN id, paper.id AS paper_id, paper.title AS title, score
ORDER BY id, score DESC, paper_id
