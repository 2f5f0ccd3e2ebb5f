// Mark papers to be written anew, by forgetting what they were made by: the next ingestion of their files does it.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     n_repaired  INTEGER
// Action      marked to be written anew when their files are ingested again
// Given       papers
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WHERE paper.configHash <> ''
SET paper.configHash = ''
RETURN count(*) AS n_repaired
