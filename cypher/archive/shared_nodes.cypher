// Nodes of a label that are part of no paper, page by page.
//
// Parameters  $label  STRING   one of the model's
//             $after  STRING   id that the page comes after, '' for the first one
//             $limit  INTEGER  most rows
// Returns     id          STRING  in order
//             labels      LIST<STRING>
//             properties  MAP
// Index       author_id, entity_id (schema/model.py); a dynamic label would use none
// Try it      :param {label: 'Author', after: '', limit: 10}
CYPHER 25
CALL () {
  WITH 1 AS one WHERE $label = 'EmbeddingModel'
  MATCH (node:EmbeddingModel) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
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
  WITH 1 AS one WHERE $label = 'Entity'
  MATCH (node:Entity) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Name'
  MATCH (node:Name) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Cluster'
  MATCH (node:Cluster) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Prototype'
  MATCH (node:Prototype) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Summary'
  MATCH (node:Summary) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Review'
  MATCH (node:Review) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'EnrichmentState'
  MATCH (node:EnrichmentState) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Collection'
  MATCH (node:Collection) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'StoredAnswer'
  MATCH (node:StoredAnswer) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Watch'
  MATCH (node:Watch) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'InboxItem'
  MATCH (node:InboxItem) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'PaperVersion'
  MATCH (node:PaperVersion) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'AnswerRating'
  MATCH (node:AnswerRating) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Annotation'
  MATCH (node:Annotation) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
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
  WITH 1 AS one WHERE $label = 'ApiKey'
  MATCH (node:ApiKey) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Invitation'
  MATCH (node:Invitation) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Spending'
  MATCH (node:Spending) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'IngestJob'
  MATCH (node:IngestJob) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'IngestTask'
  MATCH (node:IngestTask) WHERE node.id > $after RETURN node ORDER BY node.id LIMIT $limit
}
RETURN node.id AS id, labels(node) AS labels, properties(node) AS properties ORDER BY id
