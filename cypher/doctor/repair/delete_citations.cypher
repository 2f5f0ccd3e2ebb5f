// Delete citations that belong to no paper.
//
// Parameters  $ids  LIST<STRING>  ids of citations
// Returns     n_repaired  INTEGER
// Action      deleted, they belonged to no paper
// Try it      :param {ids: ['r1']}
CYPHER 25
UNWIND $ids AS id
MATCH (citation:Citation {id: id})
WHERE NOT EXISTS { (:Paper)-[:HAS_CITATION]->(citation) } AND NOT EXISTS { (:Paper {id: citation.paperId}) }
DETACH DELETE citation
RETURN count(*) AS n_repaired
