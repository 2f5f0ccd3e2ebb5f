// Forget that papers have their questions, so that these are made again.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     n_repaired  INTEGER
// Action      marked to have their questions made again
// Given       papers
// Try it      :param {ids: ['a0']}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WHERE any(enrichment IN paper.enrichments WHERE enrichment STARTS WITH 'questions=')
WITH paper, [enrichment IN paper.enrichments WHERE NOT enrichment STARTS WITH 'questions='] AS others
SET paper.enrichments = CASE WHEN others = [] THEN null ELSE others END
RETURN count(*) AS n_repaired
