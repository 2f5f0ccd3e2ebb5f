// Papers of a collection whose fields only their documents state: no record and no person.
//
// Parameters  $collection  STRING   the collection, for example 'main'
//             $limit       INTEGER  most rows
// Returns     id  STRING  in order
// Index       paper_key (schema/model.py)
// Try it      :param {collection: 'main', limit: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WHERE NOT EXISTS { (paper)-[:HAS_SOURCE]->(source:Source) WHERE source.provider <> 'document' }
RETURN paper.id AS id
ORDER BY id LIMIT $limit
