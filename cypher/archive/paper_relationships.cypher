// The relationships that belong to papers: those that start at one of their nodes, and those that end there and start at
// a node of no paper.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     paper_id    STRING
//             type        STRING
//             start_labels, end_labels  LIST<STRING>
//             start_id, end_id          STRING
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
CALL (node) {
  MATCH (node)-[relationship]->() RETURN relationship
  UNION ALL
  MATCH (node)<-[relationship]-(start)
  WHERE NOT start:Paper AND NOT start:Section AND NOT start:Chunk AND NOT start:Reference AND NOT start:Question
  RETURN relationship
}
WITH paper_id, relationship, startNode(relationship) AS start, endNode(relationship) AS end
RETURN paper_id, type(relationship) AS type, labels(start) AS start_labels, start.id AS start_id,
       labels(end) AS end_labels, end.id AS end_id, properties(relationship) AS properties
