// Remove the numbers of words of papers.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     nothing
// Revises     papers $ids
// Try it      :param {ids: ['a1']}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id IN $ids
REMOVE paper.nWords
