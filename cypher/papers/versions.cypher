// Earlier texts of a paper, the oldest first; a text that it shows again is none.
//
// Parameters  $id  STRING  id of the paper
// Returns     version  MAP  properties
// Index       paper_id (schema/model.py)
// Try it      :param id => head(COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 1 })
CYPHER 25
MATCH (paper:Paper {id: $id})-[:HAS_SOURCE]->(:Source)<-[:VERSION_OF]-(version:PaperVersion)
WHERE version.contentHash <> paper.contentHash
RETURN version {.*} AS version
ORDER BY version.replacedAt, version.id
