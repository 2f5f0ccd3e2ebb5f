// Entities held to be the same as one with a lower id, of another collection, or without a score in [0, 1].
//
// Parameters  $limit  INTEGER  most rows
// Returns     id, paper_id, problem  STRING  of each, what is wrong with it; in order of id
// Advice      papergraph doctor --fix
// Repair      delete_same_as
// Order       280
// Try it      :param {limit: 10}
CYPHER 25
MATCH (entity:Entity)-[same:SAME_AS]->(other:Entity)
WHERE entity.id >= other.id OR entity.collection <> other.collection OR NOT 0 <= coalesce(same.score, -1) <= 1
WITH entity, min(other.name) AS name
RETURN entity.id AS id, null AS paper_id, 'is the same as ' + coalesce(name, 'an entity') + ' in a wrong way' AS problem
ORDER BY id LIMIT $limit
