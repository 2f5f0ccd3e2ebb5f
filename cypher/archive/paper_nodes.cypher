// Papers with their sections, chunks, references and questions: all nodes that are part of no other paper.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     paper_id    STRING
//             id          STRING        of the node
//             labels      LIST<STRING>
//             properties  MAP
// Index       paper_id, section_position, chunk_position, reference_position (0001_constraints), question_paper
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 1 }
CYPHER 25
UNWIND $ids AS paper_id
CALL (paper_id) {
  MATCH (node:Paper {id: paper_id}) RETURN node
  UNION ALL
  MATCH (node:Section {paperId: paper_id}) WHERE node.ordinal >= 0 RETURN node
  UNION ALL
  MATCH (node:Chunk {paperId: paper_id}) WHERE node.ordinal >= 0 RETURN node
  UNION ALL
  MATCH (node:Reference {paperId: paper_id}) WHERE node.ordinal >= 0 RETURN node
  UNION ALL
  MATCH (node:Question {paperId: paper_id}) RETURN node
}
RETURN paper_id, node.id AS id, labels(node) AS labels, properties(node) AS properties
