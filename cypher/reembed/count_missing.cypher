// How many nodes have a vector in use, and how many of these have none of another model in the other place.
//
// Parameters  $sha256  STRING  checksum of the weights of the other model
// Returns     n, n_missing  INTEGER
// Slots       embedding, embeddingModel
// Try it      :param {sha256: '0f1e2d3c4b5a6978'}
CYPHER 25
MATCH (node:Paper|Chunk|Question|__Entity__|Cluster)
WHERE node.embedding IS NOT NULL
RETURN count(*) AS n,
       count(CASE WHEN coalesce(node.secondEmbeddingModel, '') <> $sha256 THEN 1 END) AS n_missing
