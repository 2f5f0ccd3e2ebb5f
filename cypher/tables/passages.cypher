// Passages of papers for evidence tables, in reading order; parents of a hierarchy are left out.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     paper_id  STRING
//             line_boxes  STRING  packed line boxes of the paper; null for other formats than PDF
//             passages  LIST<MAP>  {id, text, kind, start, page, section, crosses}: section is its headings, joined;
//                       crosses, whether it runs over several pages
// Index       chunk_position, section_position (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN paper.id AS paper_id, paper.lineBoxes AS line_boxes, COLLECT {
  MATCH (chunk:Chunk {paperId: paper.id})<-[:HAS_CHUNK]-(section:Section)
  WHERE chunk.ordinal >= 0 AND chunk.level = 0
  WITH chunk, section ORDER BY chunk.ordinal
  OPTIONAL MATCH (above:Section)-[:HAS_SUBSECTION]->(section)
  RETURN { id: chunk.id, text: chunk.text, kind: chunk.kind, start: chunk.startChar, page: chunk.startPage,
           crosses: coalesce(chunk.endPage > chunk.startPage, false),
           section: CASE WHEN above IS NULL THEN section.title ELSE above.title + ' > ' + section.title END }
} AS passages
