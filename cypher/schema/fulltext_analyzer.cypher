// Analyzer that was chosen for the full-text indexes of texts and titles; no row where none was.
//
// Parameters  none
// Returns     analyzer  STRING  its name in db.index.fulltext.listAvailableAnalyzers()
// Try it      paste as it is
CYPHER 25
MATCH (chosen:SchemaVersion {id: 'fulltext'})
RETURN chosen.analyzer AS analyzer
