// Papers and chunks that are in clusters of a collection, those of clusters below included.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $cluster_ids  LIST<STRING>  ids of clusters; ids of none are left out
// Returns     id  STRING               of each cluster
//             paper_ids  LIST<STRING>  papers that are in it
//             chunks  LIST<LIST>       pairs of the id of a chunk that is in it and its paper's
// Index       cluster_id (schema/model.py)
// Try it      :param {collections: ['main'], cluster_ids: ['k1']}
CYPHER 25
UNWIND $cluster_ids AS cluster_id
MATCH (cluster:Cluster {id: cluster_id})
WHERE cluster.collection IN $collections
RETURN cluster.id AS id,
       COLLECT {
         MATCH (cluster)-[:PARENT_OF]->{0,20}(:Cluster)<-[:IN_CLUSTER]-(paper:Paper)
         RETURN DISTINCT paper.id
       } AS paper_ids,
       COLLECT {
         MATCH (cluster)-[:PARENT_OF]->{0,20}(:Cluster)<-[:IN_CLUSTER]-(chunk:Chunk)
         RETURN DISTINCT [chunk.id, chunk.paperId]
       } AS chunks
