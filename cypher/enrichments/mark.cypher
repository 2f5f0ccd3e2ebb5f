// Note which enrichments stand for papers; of one that none stands for, nothing is noted.
//
// Parameters  $rows  LIST<MAP>  {id, enrichments}: a paper's id, and name=configHash of each enrichment
// Returns     nothing
// Revises     papers $rows.id
// Try it      :param rows => [{id: 'a1', enrichments: ['entities=ab']}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
SET paper.enrichments = CASE WHEN size(row.enrichments) = 0 THEN null ELSE row.enrichments END
