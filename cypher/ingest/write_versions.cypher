// Keep earlier texts of documents; the oldest beyond a number go.
//
// Parameters  $rows  LIST<MAP>  {id, source, properties}: ids of version and source
//             $most  INTEGER    versions of a source that stay
// Returns     nothing
// Revises     nothing
// Index       paper_version_id, source_id (schema/model.py)
// Try it      :param {rows: [], most: 10}
CYPHER 25
UNWIND $rows AS row
MATCH (source:Source {id: row.source})
MERGE (version:PaperVersion {id: row.id})
SET version += row.properties, version.replacedAt = datetime()
MERGE (version)-[:VERSION_OF]->(source)
WITH DISTINCT source
CALL (source) {
  MATCH (source)<-[:VERSION_OF]-(old:PaperVersion)
  WITH old ORDER BY old.replacedAt DESC, old.id SKIP $most
  DETACH DELETE old
}
