// The relationships from nodes of a label that are part of no paper to others of this kind.
//
// Parameters  $label  STRING        one of the model's
//             $first  STRING        first id of the nodes
//             $last   STRING        last id of the nodes
// Returns     type        STRING
//             start_labels, end_labels  LIST<STRING>
//             start_id, end_id          STRING
//             properties  MAP
// Index       author_id, entity_id (schema/model.py); a dynamic label would use none
// Try it      :param {label: 'Entity', first: 'a', last: 'f'}
CYPHER 25
CALL () {
  WITH 1 AS one WHERE $label = 'EmbeddingModel'
  MATCH (start:EmbeddingModel) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Source'
  MATCH (start:Source) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Author'
  MATCH (start:Author) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Venue'
  MATCH (start:Venue) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Affiliation'
  MATCH (start:Affiliation) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Entity'
  MATCH (start:Entity) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Name'
  MATCH (start:Name) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Cluster'
  MATCH (start:Cluster) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Prototype'
  MATCH (start:Prototype) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Summary'
  MATCH (start:Summary) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Review'
  MATCH (start:Review) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'EnrichmentState'
  MATCH (start:EnrichmentState) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Collection'
  MATCH (start:Collection) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'StoredAnswer'
  MATCH (start:StoredAnswer) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Watch'
  MATCH (start:Watch) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'InboxItem'
  MATCH (start:InboxItem) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'PaperVersion'
  MATCH (start:PaperVersion) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'AnswerRating'
  MATCH (start:AnswerRating) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Annotation'
  MATCH (start:Annotation) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'EvidenceTable'
  MATCH (start:EvidenceTable) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'TableColumn'
  MATCH (start:TableColumn) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'TableCell'
  MATCH (start:TableCell) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Screening'
  MATCH (start:Screening) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'ScreeningRecord'
  MATCH (start:ScreeningRecord) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'ScreeningDecision'
  MATCH (start:ScreeningDecision) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'PrivateAnnotation'
  MATCH (start:PrivateAnnotation) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'ApiKey'
  MATCH (start:ApiKey) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Invitation'
  MATCH (start:Invitation) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'Spending'
  MATCH (start:Spending) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'IngestJob'
  MATCH (start:IngestJob) WHERE start.id >= $first AND start.id <= $last RETURN start
  UNION ALL
  WITH 1 AS one WHERE $label = 'IngestTask'
  MATCH (start:IngestTask) WHERE start.id >= $first AND start.id <= $last RETURN start
}
MATCH (start)-[relationship]->(end)
WHERE NOT end:Paper AND NOT end:Section AND NOT end:Chunk AND NOT end:Reference AND NOT end:Question
RETURN type(relationship) AS type, labels(start) AS start_labels, start.id AS start_id, labels(end) AS end_labels,
       end.id AS end_id, properties(relationship) AS properties
