// One page of what is held to be the same in a collection.
//
// Parameters  $collection  STRING   the collection
//             $after       STRING   id of the last one of the page before, '' at the start
//             $limit       INTEGER  most rows
// Returns     id, start_id, end_id, evidence  STRING  id is that of the start, then that of the end
//             score  FLOAT  how sure, in [0, 1]
// Index       entity_name (schema/model.py)
// Try it      :param {collection: 'main', after: '', limit: 10}
CYPHER 25
MATCH (start:Entity {collection: $collection})-[same:SAME_AS]->(end:Entity)
WHERE start.name IS NOT NULL AND start.id + end.id > $after
RETURN start.id + end.id AS id, start.id AS start_id, end.id AS end_id, same.score AS score,
       same.evidence AS evidence
ORDER BY id LIMIT $limit
