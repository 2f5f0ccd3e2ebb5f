// Nodes of a label with their labels and properties, page by page, for the graph's checksum.
//
// Parameters  $label    STRING   one of the model's
//             $after    STRING   id that the page comes after, '' for the first one
//             $limit    INTEGER  most rows
//             $vectors  BOOLEAN  whether vectors come too
// Returns     id  STRING  in order
//             labels  LIST<STRING>
//             properties  MAP  all but the vectors
//             has_vector  BOOLEAN
//             vector  LIST<FLOAT>  the one in use; null where none is wanted
// Slots       embedding
// Index       paper_id, chunk_id (schema/model.py)
// Try it      :param {label: 'Paper', after: '', limit: 10, vectors: false}
CYPHER 25
CALL () {
  WITH 1 AS one WHERE $label = 'Paper'
  MATCH (node:Paper) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Source'
  MATCH (node:Source) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Author'
  MATCH (node:Author) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Venue'
  MATCH (node:Venue) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Affiliation'
  MATCH (node:Affiliation) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Section'
  MATCH (node:Section) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Chunk'
  MATCH (node:Chunk) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Reference'
  MATCH (node:Reference) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Question'
  MATCH (node:Question) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Entity'
  MATCH (node:Entity) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Name'
  MATCH (node:Name) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Cluster'
  MATCH (node:Cluster) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Review'
  MATCH (node:Review) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'EvidenceTable'
  MATCH (node:EvidenceTable) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'TableColumn'
  MATCH (node:TableColumn) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'TableCell'
  MATCH (node:TableCell) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Screening'
  MATCH (node:Screening) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'ScreeningRecord'
  MATCH (node:ScreeningRecord) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'ScreeningDecision'
  MATCH (node:ScreeningDecision) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'PrivateAnnotation'
  MATCH (node:PrivateAnnotation) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Annotation'
  MATCH (node:Annotation) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
}
RETURN node.id AS id, labels(node) AS labels, node {.*, embedding: null, secondEmbedding: null} AS properties,
       node.embedding IS NOT NULL AS has_vector, CASE WHEN $vectors THEN node.embedding END AS vector
ORDER BY id
