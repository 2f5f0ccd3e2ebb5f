// Write chunks below their sections; one that stands below another section moves.
//
// Parameters  $rows  LIST<MAP>  {id, section_id, properties, vector}; vector is null where there is none
// Returns     nothing
// Revises     papers $rows.properties.paperId
// Slots       embedding
// Try it      :param rows => [{id: 'c1', section_id: 's1', vector: [1.0, 0.0], properties: {id: 'c1', text: 'Words.'}}]
CYPHER 25
UNWIND $rows AS row
MATCH (section:Section {id: row.section_id})
MERGE (chunk:Chunk {id: row.id})
WITH row, section, chunk, chunk.nSimilar AS n_similar
SET chunk = row.properties, chunk.nSimilar = n_similar, chunk:__Node__
MERGE (section)-[:HAS_CHUNK]->(chunk)
WITH row, section, chunk
CALL (section, chunk) {
  MATCH (other:Section)-[old:HAS_CHUNK]->(chunk)
  WHERE other.id <> section.id
  DELETE old
}
WITH row, chunk WHERE row.vector IS NOT NULL
CALL db.create.setNodeVectorProperty(chunk, 'embedding', row.vector)
