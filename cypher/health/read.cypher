// A real read from the store: a database that gave up, on a full disk for example, answers pings but not this.
//
// Parameters  none
// Returns     n_papers  INTEGER  0 or 1
// Try it      paste as it is
CYPHER 25
MATCH (paper:Paper)
WITH paper LIMIT 1
RETURN count(paper) AS n_papers
