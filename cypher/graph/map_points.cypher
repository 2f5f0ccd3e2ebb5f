// A page of a collection's papers as points of a map, in the order of ids.
//
// Parameters  $collection  STRING   where to look, for example 'main'
//             $after       STRING   id of the last paper of the page before, '' at the start
//             $limit       INTEGER  papers, at least 1
// Returns     id, title  STRING
//             year  INTEGER        null if it is not known
//             place  LIST<FLOAT>   [x, y], or null if it has none
//             placed_by, topic  STRING  what gave the place, and id of a topic; null if it has none
// Index       paper_id (schema/model.py)
// Try it      :param {collection: 'main', after: '', limit: 10}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id > $after AND paper.collection = $collection
WITH paper ORDER BY paper.id LIMIT $limit
RETURN paper.id AS id, left(paper.title, 200) AS title, paper.year AS year, paper.mapPlace AS place,
       paper.placedBy AS placed_by, paper.mapTopic AS topic
ORDER BY id
