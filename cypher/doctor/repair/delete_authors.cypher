// Delete authors who wrote no paper.
//
// Parameters  $ids  LIST<STRING>  ids of authors
// Returns     n_repaired  INTEGER
// Action      deleted
// Try it      :param {ids: ['p1']}
CYPHER 25
UNWIND $ids AS id
MATCH (author:Author {id: id})
WHERE NOT EXISTS { (author)-[:WROTE]->(:Paper) }
DETACH DELETE author
RETURN count(*) AS n_repaired
