// Write questions with their vectors, each answered by chunks, by its paper, or by both.
//
// Parameters  $rows  LIST<MAP>  {id, properties, vector, chunk_ids, paper_id}; paper_id is null unless the paper answers
// Returns     nothing
// Revises     papers $rows.properties.paperId, papers $rows.paper_id, chunks $rows.chunk_ids
// Slots       embedding
// Try it      :param rows => [{id: 'q1', paper_id: null, chunk_ids: ['c1'], vector: [1.0, 0.0], properties: {id: 'q1'}}]
CYPHER 25
UNWIND $rows AS row
MERGE (question:Question {id: row.id})
SET question = row.properties
WITH row, question
CALL (row, question) {
  UNWIND row.chunk_ids AS chunk_id
  MATCH (chunk:Chunk {id: chunk_id})
  MERGE (question)-[:ANSWERED_BY]->(chunk)
}
CALL (row, question) {
  MATCH (paper:Paper {id: row.paper_id})
  MERGE (question)-[:ANSWERED_BY]->(paper)
}
CALL db.create.setNodeVectorProperty(question, 'embedding', row.vector)
