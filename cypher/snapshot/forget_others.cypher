// Delete from a copy all that is not of one collection; models and the notes of the schema stay.
//
// What belongs to no collection, such as a node that somebody made by hand, goes too; but what forget_service deletes is
// not looked at here.
//
// Parameters  $collection  STRING  the one that stays
// Returns     nothing
// Revises     nothing
// Try it      :param {collection: 'main'}
CYPHER 25
MATCH (node:!(EmbeddingModel|SchemaVersion|ApiKey|Session|Invitation|Spending|StoredAnswer|AnswerRating|IngestJob|IngestTask))
WHERE CASE WHEN node:Collection THEN node.id ELSE coalesce(node.collection, '') END <> $collection
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 1000 ROWS
