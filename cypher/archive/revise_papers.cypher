// Give papers a new revision each, because something that belongs to them changes in this transaction.
//
// Parameters  $papers     LIST<STRING>  ids of papers
//             $chunks     LIST<STRING>  ids of chunks, whose papers are meant
//             $questions  LIST<STRING>  ids of questions, whose papers are meant
// Returns     nothing
// Revises     itself
// Index       paper_id, chunk_id, question_id (schema/model.py)
// Try it      :param {papers: ['a1'], chunks: ['c1'], questions: []}
CYPHER 25
CALL () {
  UNWIND $papers AS id
  RETURN id
  UNION
  UNWIND $chunks AS chunk_id
  MATCH (chunk:Chunk {id: chunk_id})
  RETURN chunk.paperId AS id
  UNION
  UNWIND $questions AS question_id
  MATCH (question:Question {id: question_id})
  RETURN question.paperId AS id
}
MATCH (paper:Paper {id: id})
WITH DISTINCT paper ORDER BY elementId(paper)  // the order in which others take the locks
SET paper.revision = randomUUID()
