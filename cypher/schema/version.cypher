// Version of this store's schema; no row before it is created.
//
// Parameters  none
// Returns     version  INTEGER
// Try it      paste as it is
CYPHER 25
MATCH (schema:SchemaVersion {id: 'schema'})
RETURN schema.version AS version
