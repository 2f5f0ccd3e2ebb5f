// Items of an inbox with their vectors: the newest undecided ones, and the last decided ones.
//
// Parameters  $collection  STRING   for example 'main'
//             $n_new       INTEGER  most undecided items
//             $n_decided   INTEGER  most decided items
// Returns     id        STRING
//             text      STRING        title and abstract
//             vector    LIST<FLOAT>   null if it is of a model that is not in use
//             state     STRING        new, accepted, rejected or never
//             nearness  FLOAT         mean cosine to the nearest papers when it was found; may be null
// Index       inbox_order (schema/model.py)
// Try it      :param {collection: 'main', n_new: 10, n_decided: 10}
CYPHER 25
OPTIONAL MATCH (model:EmbeddingModel {state: 'active'})
WITH model.sha256 AS model
CALL () {
  MATCH (item:InboxItem)
  WHERE item.collection = $collection AND item.state = 'new' AND item.score IS NOT NULL
  RETURN item ORDER BY item.foundAt DESC, item.id LIMIT $n_new
  UNION ALL
  MATCH (item:InboxItem)
  WHERE item.collection = $collection AND item.state IN ['accepted', 'rejected', 'never'] AND item.score IS NOT NULL
  RETURN item ORDER BY item.decidedAt DESC, item.id LIMIT $n_decided
}
RETURN item.id AS id, item.title + '\n' + item.abstract AS text, item.state AS state, item.nearness AS nearness,
       CASE WHEN item.vectorModel = model THEN item.vector END AS vector
