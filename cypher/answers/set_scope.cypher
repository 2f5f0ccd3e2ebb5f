// Write what a collection's papers are about; null takes it back.
//
// Parameters  $collection  STRING  for example 'main'
//             $scope       STRING  in words, or null
// Returns     collection, scope  STRING
// Index       collection_id (schema/migrations/0010_answers.cypher)
// Try it      :param {collection: 'main', scope: 'quantum computing'}
CYPHER 25
MERGE (collection:Collection {id: $collection})
SET collection.scope = $scope
RETURN collection.id AS collection, collection.scope AS scope
