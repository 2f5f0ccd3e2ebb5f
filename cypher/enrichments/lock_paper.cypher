// A paper as it is now, locked until the transaction ends.
//
// Parameters  $id  STRING  id of the paper
// Returns     content, config_hash  STRING
//             enrichments  LIST<STRING>  name=configHash of each enrichment that stands
// Revises     nothing
// Try it      :param {id: 'a1'}
CYPHER 25
MATCH (paper:Paper {id: $id})
SET paper.id = paper.id  // takes the node's write lock before anything is read from it
WITH paper
RETURN paper.contentHash AS content, paper.configHash AS config_hash, coalesce(paper.enrichments, []) AS enrichments
