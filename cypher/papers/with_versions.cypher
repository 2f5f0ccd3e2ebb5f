// Papers of a collection that have earlier texts, those replaced last first.
//
// Parameters  $collection  STRING   for example 'main'
//             $limit       INTEGER  most papers
// Returns     id           STRING  of the paper
//             replaced_at  DATETIME
// Index       paper_version_collection (schema/model.py)
// Try it      :param {collection: 'main', limit: 10}
CYPHER 25
MATCH (version:PaperVersion {collection: $collection})
MATCH (version)-[:VERSION_OF]->(:Source)<-[:HAS_SOURCE]-(paper:Paper)
WHERE version.contentHash <> paper.contentHash
RETURN paper.id AS id, max(version.replacedAt) AS replaced_at
ORDER BY replaced_at DESC, id LIMIT $limit
