// One page of nodes that have a vector in use and none of another model in the other place, with their texts.
//
// Parameters  $sha256  STRING   checksum of the weights of the other model
//             $after   STRING   id of the last one of the page before, '' at the start
//             $limit   INTEGER  most rows
// Returns     node  STRING  element id
//             id  STRING
//             seen  STRING  hash of the text that the vector in use was made of
//             label  STRING  Paper, Chunk, Question, Entity or Cluster
//             parts  LIST<STRING>  what the text is put together of: title and abstract of the paper's first source, context
//                           and text, or '' and text
//             chunker  STRING  how its paper was cut; null for what is of no paper
//             cleaning  LIST<STRING>  what was cleaned then
// Index       paper_id, chunk_id, question_id, llama_entity_id, cluster_id (schema/model.py)
// Slots       embedding, embeddingModel, embeddingHash
// Try it      :param {sha256: '0f1e2d3c4b5a6978', after: '', limit: 10}
CYPHER 25
CALL () {
  MATCH (node:Paper)
  WHERE node.id > $after AND node.embedding IS NOT NULL AND coalesce(node.secondEmbeddingModel, '') <> $sha256
  OPTIONAL MATCH (node)-[:HAS_SOURCE]->(source:Source {name: node.sources[0]})
  RETURN node, 'Paper' AS label, [coalesce(source.title, node.title), coalesce(source.abstract, node.abstract)] AS parts
  ORDER BY node.id LIMIT $limit
  UNION ALL
  MATCH (node:Chunk)
  WHERE node.id > $after AND node.embedding IS NOT NULL AND coalesce(node.secondEmbeddingModel, '') <> $sha256
  RETURN node, 'Chunk' AS label, [node.context, node.text] AS parts
  ORDER BY node.id LIMIT $limit
  UNION ALL
  MATCH (node:Question)
  WHERE node.id > $after AND node.embedding IS NOT NULL AND coalesce(node.secondEmbeddingModel, '') <> $sha256
  RETURN node, 'Question' AS label, ['', node.text] AS parts
  ORDER BY node.id LIMIT $limit
  UNION ALL
  MATCH (node:__Entity__)
  WHERE node.id > $after AND node.embedding IS NOT NULL AND coalesce(node.secondEmbeddingModel, '') <> $sha256
  RETURN node, 'Entity' AS label, ['', node.name] AS parts
  ORDER BY node.id LIMIT $limit
  UNION ALL
  MATCH (node:Cluster)
  WHERE node.id > $after AND node.embedding IS NOT NULL AND coalesce(node.secondEmbeddingModel, '') <> $sha256
  RETURN node, 'Cluster' AS label, ['', node.name] AS parts
  ORDER BY node.id LIMIT $limit
}
WITH node, label, parts ORDER BY node.id LIMIT $limit
OPTIONAL MATCH (paper:Paper {id: CASE label WHEN 'Paper' THEN node.id ELSE node.paperId END})
RETURN elementId(node) AS node, node.id AS id, coalesce(node.embeddingHash, '') AS seen, label, parts,
       paper.chunker AS chunker, coalesce(paper.cleaning, []) AS cleaning
ORDER BY id
