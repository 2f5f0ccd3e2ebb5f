// A page of a collection's papers with vectors of a model, and their places on the map, in the order of ids.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $model       STRING   sha-256 of the model's weights
//             $after       STRING   id of the last paper of the page before, '' at the start
//             $limit       INTEGER  papers, at least 1
// Returns     id  STRING
//             embedding  LIST<FLOAT>
//             place  LIST<FLOAT>       [x, y], or null if it has none
//             placed_by, topic  STRING  what gave the place, and id of a topic; null if it has none
// Index       paper_id (schema/model.py)
// Slots       embedding, embeddingModel
// Try it      :param {collection: 'main', model: 'ab', after: '', limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id > $after AND paper.collection = $collection AND paper.embeddingModel = $model
  AND paper.embedding IS NOT NULL
WITH paper ORDER BY paper.id LIMIT $limit
RETURN paper.id AS id, paper.embedding AS embedding, paper.mapPlace AS place, paper.placedBy AS placed_by,
       paper.mapTopic AS topic
ORDER BY id
