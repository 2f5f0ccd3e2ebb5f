// Papers with their chunks as enrichments read them; parents of a hierarchy are not among the chunks.
//
// Parameters  $collection  STRING        where they stand, for example 'main'
//             $keys        LIST<STRING>  keys of papers
// Returns     paper   MAP        properties, vectors left out
//             metadata  LIST<LIST<STRING>>  field and value of each metadata cluster, 'other' left out
//             chunks  LIST<MAP>  {id, ordinal, kind, text, section_id, section, section_kind, headings} in the order of
//                     the paper; headings are the titles of all sections that it reaches into
// Index       paper_key, chunk_position (schema/model.py)
// Try it      :param keys => COLLECT { MATCH (p:Paper {collection: 'main'}) RETURN p.key LIMIT 3 }
//             :param {collection: 'main'}
CYPHER 25
UNWIND $keys AS key
MATCH (paper:Paper {collection: $collection, key: key})
RETURN paper { .*, embedding: null, secondEmbedding: null } AS paper, COLLECT {
  MATCH (paper)-[:IN_CLUSTER]->(cluster:Cluster {kind: 'metadata'})
  WHERE cluster.value <> 'other'
  RETURN [cluster.field, cluster.value] ORDER BY cluster.field, cluster.value
} AS metadata, COLLECT {
  MATCH (chunk:Chunk {paperId: paper.id})<-[:HAS_CHUNK]-(section:Section)
  WHERE chunk.ordinal >= 0 AND chunk.kind <> 'parent'
  WITH chunk, section ORDER BY chunk.ordinal
  RETURN { id: chunk.id, ordinal: chunk.ordinal, kind: chunk.kind, text: chunk.text,
           section_id: section.id, section: section.title, section_kind: section.kind,
           headings: COLLECT {
             MATCH (paper)-[:HAS_SECTION]->(part:Section)
             WHERE part.startChar < chunk.endChar AND part.endChar > chunk.startChar
             RETURN part.title ORDER BY part.startChar
           } }
} AS chunks
ORDER BY paper.id
