// Note that enrichments over the collections of papers are out of date: these papers change, go, or are made anew.
//
// What an enrichment was made of may be the same again later, although nodes that it had written to are others then.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     nothing
// Revises     nothing
// Index       paper_id (schema/model.py)
// Try it      :param {ids: ['a1']}
CYPHER 25
MATCH (paper:Paper)
WHERE paper.id IN $ids
WITH DISTINCT paper.collection AS collection
MATCH (state:EnrichmentState)
WHERE state.collection = collection AND state.inputHash <> ''
SET state.inputHash = ''
