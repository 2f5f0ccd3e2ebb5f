// Keep a summary of the papers of clusters, in place of the one that was there.
//
// Parameters  $id          STRING        id of the summary
//             $properties  MAP           its properties, the time left out
//             $clusters    LIST<STRING>  ids of the clusters
// Returns     nothing
// Revises     nothing
// Index       summary_id (schema/model.py)
// Try it      :param {id: 'u1', properties: {id: 'u1', text: 'On tides.'}, clusters: []}
CYPHER 25
MERGE (summary:Summary {id: $id})
SET summary = $properties, summary.createdAt = datetime()
WITH summary
CALL (summary) {
  MATCH (summary)-[old:SUMMARIZES]->(cluster:Cluster)
  WHERE NOT cluster.id IN $clusters
  DELETE old
}
CALL (summary) {
  UNWIND $clusters AS id
  MATCH (cluster:Cluster {id: id})
  MERGE (summary)-[:SUMMARIZES]->(cluster)
}
