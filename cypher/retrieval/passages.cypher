// Chunks as a reader sees them: with their paper, the headings above them, and the chunks before and after.
//
// Parameters  $chunk_ids  LIST<STRING>  ids of chunks
// Returns     chunk, paper, section  MAP  what schema/records.py reads; vectors are long to read, so these are named
//             path  LIST<STRING>  headings above the chunk, outermost first
//             sections  LIST<MAP>  section_id, path, start_char and end_char of the sections that it reaches into
//             parent_id  STRING  id of the section above the chunk's, or null
//             previous, next  MAP  properties of the neighbouring chunk, or null
// Index       chunk_id (schema/model.py)
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
RETURN chunk {
         .id, .paperId, .sectionId, .collection, .ordinal, .kind, .level, .text, .nTokens, .startChar, .endChar,
         .startPage, .endPage, .figure
       } AS chunk,
       section {
         .id, .paperId, .collection, .title, .level, .ordinal, .kind, .startPage, .endPage
       } AS section,
       paper {
         .id, .key, .collection, .title, .abstract, .keys, .sources, .categories, .contentHash, .nSections,
         .nChunks, .ingestedAt, .year, .doi, .arxivId, .license, .language, .format, .headingSource, .bodyCoverage,
         .chunker, .cleaning, .nPages, .nPagesWithoutText, .notes, .isPartial, .arxivVersion, .primaryCategory,
         .published, .updated, .comment, .journalRef, .url, .editorialStatus, .editorialDate, .editorialNotices
       } AS paper,
       previous {
         .id, .paperId, .sectionId, .collection, .ordinal, .kind, .level, .text, .nTokens, .startChar, .endChar,
         .startPage, .endPage, .figure
       } AS previous,
       next {
         .id, .paperId, .sectionId, .collection, .ordinal, .kind, .level, .text, .nTokens, .startChar, .endChar,
         .startPage, .endPage, .figure
       } AS next,
       path, parent_id,
       COLLECT {
         MATCH (paper)-[:HAS_SECTION]->(part:Section)
         WHERE part.startChar < chunk.endChar AND part.endChar > chunk.startChar
         MATCH way = (top:Section)-[:HAS_SUBSECTION*0..12]->(part)
         WHERE NOT EXISTS { (:Section)-[:HAS_SUBSECTION]->(top) }
         RETURN {
                  section_id: part.id,
                  path: [heading IN nodes(way) | heading.title],
                  start_char: part.startChar,
                  end_char: part.endChar
                }
           ORDER BY part.startChar
       } AS sections
