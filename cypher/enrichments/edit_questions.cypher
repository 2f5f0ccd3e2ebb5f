// Give questions another text with its vector; what was related by the old one is to be found again.
//
// Parameters  $rows    LIST<MAP>    {id, properties}: id as it was, and the properties that are other than before
//             $vector  LIST<FLOAT>  of the new text
// Returns     nothing
// Revises     questions $rows.id, and itself those of the questions that they stood for
// Index       question_id (schema/model.py)
// Slots       embedding, embeddingModel, embeddingHash
// Try it      :param {rows: [{id: 'q1', properties: {text: 'Why not?', review: 'edited'}}], vector: [0.0, 1.0]}
CYPHER 25
UNWIND $rows AS row
MATCH (question:Question {id: row.id})
CALL (question) {
  MATCH (other:Question)-[same:DUPLICATE_OF]->(question)
  REMOVE other.comparisonConfigHash
  DELETE same
  WITH DISTINCT other.paperId AS id
  MATCH (paper:Paper {id: id})
  SET paper.revision = randomUUID()
}
CALL (question) {
  MATCH (question)-[same:DUPLICATE_OF]->(:Question)
  DELETE same
}
CALL (question) {
  MATCH (:Prototype)-[stands:STANDS_FOR]->(question)
  DELETE stands
}
REMOVE question.comparisonConfigHash, question.secondEmbedding, question.secondEmbeddingModel, question.secondEmbeddingHash
SET question += row.properties
WITH question
CALL db.create.setNodeVectorProperty(question, 'embedding', $vector)
