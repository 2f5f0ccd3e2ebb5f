// Give papers their places on the map, and the topics that they are shown under.
//
// Parameters  $rows  LIST<MAP>  {id, place, placed_by, topic}: place is [x, y], topic an id or null
// Returns     nothing
// Revises     papers $rows.id
// Index       paper_id (schema/model.py)
// Try it      :param rows => [{id: 'a1', place: [0.5, -0.5], placed_by: 'pca', topic: null}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
SET paper.mapPlace = row.place, paper.placedBy = row.placed_by, paper.mapTopic = row.topic
