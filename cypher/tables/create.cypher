// Create an evidence table; one with the same id is replaced, its columns stay.
//
// Parameters  $id          STRING  id of the table
//             $properties  MAP     collection, name, owner, sources and filter
// Returns     nothing
// Revises     nothing
// Index       evidence_table_id (schema/model.py)
// Try it      :param {id: 't1', properties: {collection: 'main', name: 'trials', owner: '', sources: null, filter: ''}}
CYPHER 25
MERGE (table:EvidenceTable {id: $id})
  ON CREATE SET table.createdAt = datetime()
SET table += $properties, table.changedAt = datetime()
