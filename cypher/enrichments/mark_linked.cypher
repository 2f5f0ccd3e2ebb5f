// Note that links of papers were found, unless they have changed since they were read.
//
// Parameters  $rows  LIST<MAP>  {id, content, config_hash, links_config_hash}: a paper as it was read, and how its links were found
// Returns     nothing
// Revises     papers $rows.id
// Index       paper_id (schema/model.py)
// Try it      :param rows => [{id: 'a1', content: 'ab', config_hash: 'cd', links_config_hash: 'ef'}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
WHERE paper.contentHash = row.content AND paper.configHash = row.config_hash
SET paper.linksConfigHash = row.links_config_hash
