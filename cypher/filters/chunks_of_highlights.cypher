// Chunks of collections with words of highlights that a reader may see.
//
// Parameters  $collections  LIST<STRING>  where to look, for example ['main']
//             $owner        STRING        account whose private ones are seen; null for those of all
// Returns     chunk_id, paper_id  STRING
// Index       annotation_kind, private_annotation_kind, chunk_position (schema/model.py)
// Try it      :param {collections: ['main'], owner: null}
CYPHER 25
MATCH (one:Annotation|PrivateAnnotation)
WHERE one.collection IN $collections AND one.kind = 'highlight' AND one.startChar IS NOT NULL
  AND ($owner IS NULL OR one:Annotation OR one.owner = $owner)
MATCH (one)-[:ANNOTATES|ANNOTATES_PRIVATELY]->(:Source)<-[:HAS_SOURCE]-(paper:Paper)
WHERE paper.collection IN $collections
MATCH (chunk:Chunk {paperId: paper.id})
WHERE chunk.ordinal >= 0 AND chunk.startChar < one.endChar AND chunk.endChar > one.startChar
RETURN DISTINCT chunk.id AS chunk_id, paper.id AS paper_id
