// Keep one collection in a replica, with models and the state of the schema; delete all other nodes.
//
// Nodes without a collection, such as those created by hand, are deleted too. Run forget_service first: its labels are
// skipped here.
//
// Parameters  $collection  STRING  collection to keep
// Returns     nothing
// Revises     nothing
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (node:!(EmbeddingModel|SchemaVersion|ApiKey|Session|Invitation|Spending|StoredAnswer|AnswerRating|PrivateAnnotation|IngestJob|IngestTask|Watch|InboxItem|Screening|ScreeningRecord|ScreeningDecision))
WHERE CASE WHEN node:Collection THEN node.id ELSE coalesce(node.collection, '') END <> $collection
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 1000 ROWS
