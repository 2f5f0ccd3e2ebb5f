// One page of sections that have a vector in use and none of another model in the other place, with what it is made of.
//
// Parameters  $sha256  STRING   checksum of the weights of the other model
//             $after   STRING   id of the last one of the page before, '' at the start
//             $limit   INTEGER  most rows
// Returns     node  STRING  element id
//             id  STRING
//             seen  STRING  hash of what the vector in use was made of
//             parts  LIST<LIST<STRING>>  context and text of each chunk below it, in order
//             vectors  LIST<LIST<FLOAT>>  vector of each that has one of that model
//             cleaning  LIST<STRING>  what was cleaned when its paper was cut
// Index       section_id, paper_id (schema/model.py)
// Slots       embedding, embeddingModel, embeddingHash
// Try it      :param {sha256: '0f1e2d3c4b5a6978', after: '', limit: 10}
CYPHER 25
MATCH (section:Section)
WHERE section.id > $after AND section.embedding IS NOT NULL AND coalesce(section.secondEmbeddingModel, '') <> $sha256
WITH section ORDER BY section.id LIMIT $limit
CALL (section) {
  MATCH (section)-[:HAS_SUBSECTION*0..12]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
  WHERE chunk.embedding IS NOT NULL AND chunk.kind <> 'parent'
  WITH chunk ORDER BY chunk.ordinal
  RETURN collect([chunk.context, chunk.text]) AS parts,
         collect(CASE chunk.secondEmbeddingModel WHEN $sha256 THEN chunk.secondEmbedding END) AS vectors
}
OPTIONAL MATCH (paper:Paper {id: section.paperId})
RETURN elementId(section) AS node, section.id AS id, coalesce(section.embeddingHash, '') AS seen, parts, vectors,
       coalesce(paper.cleaning, []) AS cleaning
ORDER BY id
