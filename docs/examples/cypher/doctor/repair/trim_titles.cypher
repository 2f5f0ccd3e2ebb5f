// Remove spaces around titles.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     n_repaired  INTEGER
// Action      trimmed
// Given       papers
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WHERE paper.title <> trim(paper.title)
SET paper.title = trim(paper.title)
RETURN count(*) AS n_repaired
