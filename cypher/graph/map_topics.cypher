// Topics of a collection, each with the one above it.
//
// Parameters  $collection  STRING  where to look, for example 'main'
// Returns     id, name  STRING
//             level     INTEGER  0 for the finest
//             above     STRING   id of the topic above it, or null
// Index       cluster_kind (schema/model.py)
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (topic:Cluster {collection: $collection, kind: 'topic'})
RETURN topic.id AS id, coalesce(topic.name, '') AS name, topic.level AS level,
       head(COLLECT { MATCH (above:Cluster)-[:PARENT_OF]->(topic) RETURN above.id ORDER BY above.id }) AS above
ORDER BY id
