// Chunks as a reader sees them: with their paper, the headings above them, and the chunks before and after.
//
// Parameters  $chunk_ids  LIST<STRING>  ids of chunks
// Returns     chunk, paper, section  MAP  properties, embeddings left out
//             path  LIST<STRING>  headings above the chunk, outermost first
//             parent_id  STRING  id of the section above the chunk's, or null
//             previous, next  MAP  properties of the neighbouring chunk, or null
// Index       chunk_id (schema/migrations/0001_constraints.cypher)
// Try it      :param chunk_ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
CYPHER 25
UNWIND $chunk_ids AS chunk_id
MATCH (chunk:Chunk {id: chunk_id})<-[:HAS_CHUNK]-(section:Section)<-[:HAS_SECTION]-(paper:Paper)
OPTIONAL MATCH (previous:Chunk)-[:NEXT_CHUNK]->(chunk)
OPTIONAL MATCH (chunk)-[:NEXT_CHUNK]->(next:Chunk)
CALL (section) {
  MATCH way = (top:Section)-[:HAS_SUBSECTION*0..12]->(section)
  WHERE NOT EXISTS { (:Section)-[:HAS_SUBSECTION]->(top) }
  RETURN [heading IN nodes(way) | heading.title] AS path, [heading IN nodes(way) | heading.id][-2] AS parent_id
}
RETURN chunk { .*, embedding: null, secondEmbedding: null } AS chunk, parent_id,
       section { .*, embedding: null, secondEmbedding: null } AS section,
       paper { .*, embedding: null, secondEmbedding: null } AS paper, path,
       previous { .*, embedding: null, secondEmbedding: null } AS previous,
       next { .*, embedding: null, secondEmbedding: null } AS next
