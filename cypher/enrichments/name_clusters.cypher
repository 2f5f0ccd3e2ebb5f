// Give clusters names and keywords; those of metadata keep the name that they have.
//
// Parameters  $rows  LIST<MAP>  {id, name, keywords}
// Returns     nothing
// Revises     nothing
// Index       cluster_id (schema/model.py)
// Try it      :param rows => [{id: 'k1', name: 'surface code', keywords: ['surface code', 'decoder']}]
CYPHER 25
UNWIND $rows AS row
MATCH (cluster:Cluster {id: row.id})
SET cluster.name = CASE cluster.kind WHEN 'metadata' THEN cluster.name ELSE row.name END, cluster.keywords = row.keywords
