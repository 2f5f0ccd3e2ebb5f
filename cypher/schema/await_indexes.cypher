// Wait until every index is online, at most five minutes.
//
// Parameters  none
// Returns     nothing
// Try it      paste as it is
CALL db.awaitIndexes(300)
