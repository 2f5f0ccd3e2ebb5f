// Delete sections that belong to no paper.
//
// Parameters  $ids  LIST<STRING>  ids of sections
// Returns     n_repaired  INTEGER
// Action      deleted, they belonged to no paper
// Try it      :param {ids: ['s1']}
CYPHER 25
UNWIND $ids AS id
MATCH (section:Section {id: id})
WHERE NOT EXISTS { (:Paper)-[:HAS_SECTION]->(section) } AND NOT EXISTS { (:Paper {id: section.paperId}) }
DETACH DELETE section
RETURN count(*) AS n_repaired
