// Note which layers stand for papers; of one that none stands for, nothing is noted.
//
// Parameters  $rows  LIST<MAP>  {id, layers}: a paper's id, and name=recipe of each layer
// Returns     nothing
// Try it      :param rows => [{id: 'a1', layers: ['entities=ab']}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
SET paper.layers = CASE WHEN size(row.layers) = 0 THEN null ELSE row.layers END
