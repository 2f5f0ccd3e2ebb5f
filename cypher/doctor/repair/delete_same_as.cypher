// Delete what is held to be the same in a wrong way; the enrichment of entities makes the right ones again.
//
// Parameters  $ids  LIST<STRING>  ids of entities that it starts at
// Returns     n_repaired  INTEGER
// Action      deleted
// Try it      :param {ids: ['e1']}
CYPHER 25
UNWIND $ids AS id
MATCH (entity:Entity {id: id})-[same:SAME_AS]->(other:Entity)
WHERE entity.id >= other.id OR entity.collection <> other.collection OR NOT 0 <= coalesce(same.score, -1) <= 1
DELETE same
RETURN count(*) AS n_repaired
