// Choose the analyzer of the full-text indexes of texts and titles; the indexes stay what they are.
//
// Parameters  $analyzer  STRING  its name in db.index.fulltext.listAvailableAnalyzers()
// Returns     nothing
// Revises     nothing
// Try it      :param {analyzer: 'english'}
CYPHER 25
MERGE (chosen:SchemaVersion {id: 'fulltext'})
SET chosen.analyzer = $analyzer
