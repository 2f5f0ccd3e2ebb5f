// Take papers from the map.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     nothing
// Revises     papers $ids
// Index       paper_id (schema/model.py)
// Try it      :param {ids: ['a1']}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id IN $ids
REMOVE paper.mapPlace, paper.placedBy, paper.mapTopic
