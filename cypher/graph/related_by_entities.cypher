// Papers that mention what each of several papers mentions, rare things counting more.
//
// Parameters  $ids          LIST<STRING>  ids of papers
//             $k            INTEGER       how many for each, at least 1
//             $most         INTEGER       entities that more chunks mention say too little and are passed over
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node    MAP  properties, vectors left out
//             score   FLOAT  sum over shared entities of 1 / log2(1 + chunks that mention it); best first
//             shared  LIST<MAP>  {label, id, name} of the five rarest shared entities
// Index       chunk_position (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {k: 5, most: 1000, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (:Chunk {paperId: parent_id})-[:MENTIONS]->(entity:Entity)
  WITH DISTINCT entity
  WITH entity, COUNT { (:Chunk)-[:MENTIONS]->(entity) } AS n_chunks WHERE 1 < n_chunks <= $most
  MATCH (chunk:Chunk)-[:MENTIONS]->(entity)
  WHERE chunk.paperId <> parent_id AND ($collections IS NULL OR chunk.collection IN $collections)
  WITH DISTINCT chunk.paperId AS paper_id, entity, n_chunks
  ORDER BY n_chunks, entity.id
  WITH paper_id, sum(1 / (log(1 + n_chunks) / log(2))) AS score,
       collect({label: 'Entity', id: entity.id, name: entity.name})[..5] AS shared
  ORDER BY score DESC, paper_id LIMIT $k
  MATCH (paper:Paper {id: paper_id})
  RETURN paper, score, shared
}
RETURN parent_id, paper { .*, embedding: null, secondEmbedding: null } AS node, score, shared
ORDER BY parent_id, score DESC, paper.id
